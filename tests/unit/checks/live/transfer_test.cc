// SPDX-License-Identifier: Apache-2.0
#include "checks/live/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks/judge.h"
#include "checks/words/names.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

TransferResult Good(std::string_view name = "write-512k") {
  return {.case_name = std::string(name),
          .operation = Operation::kWrite,
          .message_bytes = 512 * 1024,
          .messages = 80,
          .bytes = 80ULL * 512 * 1024,
          .bytes_verified = 80ULL * 512 * 1024,
          .elapsed_ns = 500'000'000,
          .throughput_bytes_per_s = 61'200'000,
          .worst_interval_bytes_per_s = 58'900'000,
          .operations_per_s = 117,
          .latency = {.p50_ns = 46'000, .p99_ns = 195'000, .p999_ns = 1'300'000, .max_ns = 2'000'000}};
}

TransferPlace Peer() {
  return {.rung = Rung::kPeer,
          .subject = "rxe0/1 -> rxe0/1",
          .software = true,
          .netdev = "dcb0",
          .peer_address = "10.0.0.2",
          .peer_host = "b",
          .host = "a"};
}

TEST(JudgeTransfer, ShowsBandwidthLatencyOrOperations) {
  EXPECT_EQ(JudgeTransfer(Good(), Peer()).observed, "61.2 MB/s, worst 100 ms 58.9 MB/s, 41.9 MB verified");
  TransferResult stalled = Good();
  stalled.worst_interval_bytes_per_s = 0;
  EXPECT_EQ(JudgeTransfer(stalled, Peer()).observed, "61.2 MB/s, worst 100 ms 0 B/s, 41.9 MB verified");
  EXPECT_EQ(JudgeTransfer(Good("send-1k"), Peer()).observed, "p50 46 us, p99 195 us, p99.9 1.3 ms");
  EXPECT_EQ(JudgeTransfer(Good("read-8k"), Peer()).observed, "117 operations/s, p50 46 us, p99 195 us");
}

TEST(Write4k, IsShownByItsOperationsAndLeftToTest) {
  const Finding finding = JudgeTransfer(Good("write-4k"), Peer());
  EXPECT_EQ(finding.title, "4 KB by RDMA write arrives intact between the two hosts");
  EXPECT_EQ(finding.observed, "117 operations/s, p50 46 us, p99 195 us");
  for (const Rung rung : {Rung::kLoopback, Rung::kPeer}) {
    EXPECT_EQ(std::ranges::count(CasesOn(rung), "write-4k", &TransferCase::name), 1);
    EXPECT_EQ(std::ranges::count(CheckedCasesOn(rung), "write-4k", &TransferCase::name), 0);
  }
}

TEST(JudgeTransfer, FillsTheFinding) {
  const Finding finding = JudgeTransfer(Good(), Peer());
  EXPECT_EQ(finding.id, "peer.write-512k");
  EXPECT_EQ(finding.scope, Scope::kPair);
  EXPECT_EQ(finding.rung, Rung::kPeer);
  EXPECT_EQ(finding.outcome, Outcome::kPass);
  EXPECT_TRUE(finding.blocking);
  EXPECT_FALSE(finding.title.empty());
  EXPECT_FALSE(finding.why.empty());
  EXPECT_TRUE(finding.fix.empty());
  EXPECT_THAT(finding.expected, HasSubstr("functional verdict only"));
  EXPECT_EQ(finding.duration_ns, 500'000'000);
}

TEST(JudgeTransfer, DoesNotJudgeASpeedThatNobodyAskedFor) {
  TransferResult slow = Good();
  slow.throughput_bytes_per_s = 1;
  slow.worst_interval_bytes_per_s = 1;
  TransferPlace hardware = Peer();
  hardware.software = false;
  EXPECT_EQ(JudgeTransfer(slow, hardware).outcome, Outcome::kPass);
}

TransferPlace Demanding(std::uint32_t throughput_mbps, std::uint32_t latency_us) {
  TransferPlace place = Peer();
  place.software = false;
  place.min_throughput_mbps = throughput_mbps;
  place.max_latency_us = latency_us;
  return place;
}

TEST(JudgeTransfer, FailsBelowTheThroughputThatTheProfileAsksFor) {
  TransferResult exact = Good();
  exact.throughput_bytes_per_s = 61'125'000;
  EXPECT_EQ(JudgeTransfer(exact, Demanding(489, 1)).outcome, Outcome::kPass);
  const Finding slow = JudgeTransfer(exact, Demanding(490, 1));
  EXPECT_EQ(slow.outcome, Outcome::kFail);
  EXPECT_THAT(slow.expected, HasSubstr("at 490 Mb/s or more"));
  EXPECT_THAT(slow.observed, HasSubstr("61.1 MB/s"));
  EXPECT_THAT(slow.observed, HasSubstr("that is 489 Mb/s"));
  EXPECT_THAT(WhatToDo(slow), HasSubstr("rdmaready test peer a b --no-verify --qps 4"));
  EXPECT_THAT(slow.why, HasSubstr("slower than the profile asks"));
  EXPECT_EQ(JudgeTransfer(Good("read-8k"), Demanding(10'000, 1)).outcome, Outcome::kPass);
}

TEST(JudgeTransfer, FailsAboveTheLatencyThatTheProfileAsksFor) {
  EXPECT_EQ(JudgeTransfer(Good("send-1k"), Demanding(10'000, 195)).outcome, Outcome::kPass);
  const Finding slow = JudgeTransfer(Good("send-1k"), Demanding(10'000, 194));
  EXPECT_EQ(slow.outcome, Outcome::kFail);
  EXPECT_THAT(slow.expected, HasSubstr("99 of 100 within 194 us"));
  EXPECT_THAT(slow.observed, HasSubstr("99 of 100 took up to 195000 ns"));
  EXPECT_THAT(WhatToDo(slow), HasSubstr("--case send-1k"));
}

TEST(JudgeTransfer, NeverJudgesTheSpeedOfSoftwareOrOfAnotherRung) {
  TransferPlace place = Demanding(10'000, 1);
  place.software = true;
  EXPECT_EQ(JudgeTransfer(Good(), place).outcome, Outcome::kPass);
  EXPECT_EQ(JudgeTransfer(Good("send-1k"), place).outcome, Outcome::kPass);
  place = Demanding(10'000, 1);
  place.rung = Rung::kLoopback;
  EXPECT_EQ(JudgeTransfer(Good(), place).outcome, Outcome::kPass);
  place.rung = Rung::kSmbDirect;
  EXPECT_EQ(JudgeTransfer(Good("smbd-512k-write"), place).outcome, Outcome::kPass);
}

TEST(JudgeTransfer, FailsForWrongBytesAlsoWhereNobodyTellsWhetherItFailed) {
  TransferResult result = Good();
  result.failure = {.kind = FailureKind::kUnknown, .detail = "the sender does not say \"bytes\""};
  EXPECT_EQ(JudgeTransfer(result, Peer()).outcome, Outcome::kUnknown);
  result.bytes_wrong = 1;
  EXPECT_EQ(JudgeTransfer(result, Peer()).outcome, Outcome::kFail);
}

TEST(JudgeTransfer, LearnsNothingOfRdmaFromBytesThatWentOverTcp) {
  TransferResult result = Good();
  result.transport = kTcpTransport;
  EXPECT_EQ(JudgeTransfer(result, Peer()).outcome, Outcome::kUnknown);
  result.failure = {.kind = FailureKind::kCorrupt, .detail = "wrong"};
  EXPECT_EQ(JudgeTransfer(result, Peer()).outcome, Outcome::kUnknown);
}

TEST(JudgeTransfer, FailsForEveryKindOfFailureWithAReasonAndAHint) {
  for (const FailureKind kind :
       {FailureKind::kSetup, FailureKind::kRejected, FailureKind::kUnreachable, FailureKind::kCompletion,
        FailureKind::kDisconnected, FailureKind::kPeerGone, FailureKind::kStalled, FailureKind::kLost,
        FailureKind::kCorrupt, FailureKind::kCancelled, FailureKind::kUnknown}) {
    SCOPED_TRACE(Name(kind));
    for (const Rung rung : {Rung::kLoopback, Rung::kPeer}) {
      TransferPlace place = Peer();
      place.rung = rung;
      TransferResult result = Good();
      result.failure = {.kind = kind, .detail = "the engine's\nwords"};
      const Finding finding = JudgeTransfer(result, place);
      const bool open = kind == FailureKind::kCancelled || kind == FailureKind::kUnknown;
      EXPECT_EQ(finding.outcome, open ? Outcome::kUnknown : Outcome::kFail);
      EXPECT_THAT(finding.observed, HasSubstr("the engine's words"));
      EXPECT_FALSE(finding.why.empty());
      EXPECT_FALSE(finding.fix.empty());
      EXPECT_EQ(finding.fix.find('\n'), std::string::npos);
    }
  }
}

TEST(JudgeTransfer, HintsAtWhatHelps) {
  const auto hint = [](FailureKind kind, std::string detail) {
    TransferResult result = Good();
    result.failure = {.kind = kind, .detail = std::move(detail)};
    return WhatToDo(JudgeTransfer(result, Peer()));
  };
  EXPECT_THAT(hint(FailureKind::kUnreachable, ""), HasSubstr("ip neigh show dev dcb0; ip route get 10.0.0.2"));
  EXPECT_THAT(hint(FailureKind::kSetup, "register memory: Cannot allocate memory"),
              HasSubstr("LimitMEMLOCK=infinity"));
  EXPECT_THAT(hint(FailureKind::kSetup, "open rxe0: No such device"), HasSubstr("/dev/infiniband"));
  EXPECT_THAT(hint(FailureKind::kPeerGone, ""), HasSubstr("on host b"));
  EXPECT_THAT(hint(FailureKind::kStalled, ""), HasSubstr("dcb pfc show dev dcb0"));
}

TEST(JudgeTransfer, SaysHowToStartAnAgentThatWentAway) {
  TransferResult result = Good();
  result.failure = {.kind = FailureKind::kPeerGone, .detail = {}};
  const Finding finding = JudgeTransfer(result, Peer());
  EXPECT_EQ(WhatToDo(finding),
            "systemctl restart rdmaready-agent  # run the command on host b; or without the unit: start "
            "rdmaready-agent with the options that it had");
  EXPECT_EQ(finding.remedy->check, "rdmaready test peer a b");
}

TEST(JudgeTransfer, BelievesTheNumbersMoreThanTheAbsenceOfAFailure) {
  TransferResult wrong = Good();
  wrong.bytes_wrong = 3;
  wrong.first_wrong_offset = 4096;
  EXPECT_EQ(JudgeTransfer(wrong, Peer()).outcome, Outcome::kFail);
  EXPECT_EQ(JudgeTransfer(wrong, Peer()).observed,
            "wrong bytes arrived: 3 bytes wrong, the first at offset 4096");
  TransferResult unverified = Good();
  unverified.bytes_verified -= 1;
  EXPECT_EQ(JudgeTransfer(unverified, Peer()).outcome, Outcome::kFail);
  TransferResult nothing = Good();
  nothing.messages = nothing.bytes = nothing.bytes_verified = 0;
  EXPECT_EQ(JudgeTransfer(nothing, Peer()).outcome, Outcome::kFail);
  EXPECT_EQ(JudgeTransfer(TransferResult{}, Peer()).outcome, Outcome::kFail);
}

TEST(JudgeTransfer, SaysOfAnUnverifiedTestThatItIsOneAndStillWantsMessages) {
  TransferResult result{.case_name = "write-512k",
                        .operation = Operation::kWrite,
                        .message_bytes = 524'288,
                        .unverified = true,
                        .messages = 80,
                        .bytes = 41'943'040,
                        .elapsed_ns = 68'000'000,
                        .throughput_bytes_per_s = 61'200'000};
  const Finding finding = JudgeTransfer(result, {.rung = Rung::kPeer});
  EXPECT_EQ(finding.outcome, Outcome::kPass);
  EXPECT_EQ(finding.observed, "61.2 MB/s, unverified");
  EXPECT_THAT(finding.expected, testing::HasSubstr("no byte was looked at"));
  result.messages = result.bytes = 0;
  EXPECT_EQ(JudgeTransfer(result, {.rung = Rung::kPeer}).outcome, Outcome::kFail);
}

TEST(JudgeTransfer, KnowsHowToShowACaseItHasNoTextFor) {
  const Finding finding = JudgeTransfer(Good("write-1m"), Peer());
  EXPECT_EQ(finding.id, "peer.write-1m");
  EXPECT_FALSE(finding.title.empty());
  EXPECT_THAT(finding.observed, HasSubstr("MB/s"));
}

TransferPlace OnHardware() {
  TransferPlace place = Peer();
  place.software = false;
  return place;
}

Finding Judged(std::vector<CounterChange> changes, const TransferPlace& place,
               std::optional<std::uint32_t> foreign_permille = 0) {
  const EndCounters ends[] = {{"node1", "mlx5_0/1", std::move(changes), {}, foreign_permille},
                              {"node2", "mlx5_0/1", std::vector<CounterChange>{}}};
  return JudgeTransfer(Good(), place, ends);
}

using Kind = CounterChange::Kind;

TEST(JudgeTransfer, WarnsOfErrorsThatHardwareCountedMeanwhile) {
  const Finding finding = Judged({{"out_of_sequence", Kind::kGrew, 12}}, OnHardware());
  EXPECT_EQ(finding.outcome, Outcome::kWarn);
  EXPECT_EQ(finding.observed,
            "61.2 MB/s, worst 100 ms 58.9 MB/s, 41.9 MB verified; out_of_sequence +12 on node1 mlx5_0/1");
  EXPECT_THAT(finding.expected, HasSubstr("no error counted"));
  EXPECT_THAT(finding.source, HasSubstr("hw_counters"));
  EXPECT_NE(finding.why, JudgeTransfer(Good(), OnHardware()).why);
  EXPECT_THAT(WhatToDo(finding), HasSubstr("ethtool -S dcb0  # look at the same on host b"));
  EXPECT_EQ(Judged({{"out_of_sequence", Kind::kWrapped, 2}}, OnHardware()).outcome, Outcome::kWarn);
}

TEST(JudgeTransfer, ExplainsASlowPathByWhatWasCountedMeanwhile) {
  const Finding warned = Judged({{"out_of_sequence", Kind::kGrew, 12}}, OnHardware());
  const Finding slow = Judged({{"out_of_sequence", Kind::kGrew, 12}}, Demanding(10'000, 1));
  EXPECT_EQ(slow.outcome, Outcome::kFail);
  EXPECT_THAT(slow.observed, HasSubstr("out_of_sequence +12 on node1 mlx5_0/1; that is 489 Mb/s"));
  EXPECT_EQ(slow.why, warned.why);
  EXPECT_EQ(slow.fix, warned.fix);
}

TEST(JudgeTransfer, FailsForLossOnAPathThatIsToLoseNothing) {
  TransferPlace lossless = OnHardware();
  lossless.lossless = true;
  for (const char* counter : {"out_of_sequence", "local_ack_timeout_err", "req_transport_retries_exceeded"}) {
    const Finding finding = Judged({{counter, Kind::kGrew, 12}}, lossless);
    EXPECT_EQ(finding.outcome, Outcome::kFail) << counter;
    EXPECT_TRUE(finding.blocking);
    EXPECT_THAT(WhatToDo(finding), HasSubstr("ethtool -S dcb0  # look at the same on host b"));
  }
  EXPECT_EQ(Judged({{"rnr_nak_retry_err", Kind::kGrew, 12}}, lossless).outcome, Outcome::kWarn);
  lossless.software = true;
  EXPECT_EQ(Judged({{"out_of_sequence", Kind::kGrew, 12}}, lossless).outcome, Outcome::kWarn);
}

TEST(JudgeTransfer, LossThatMayBeOthersIsNobodysUntilThePortIsQuiet) {
  TransferPlace lossless = OnHardware();
  lossless.lossless = true;
  const auto judged = [&](std::optional<std::uint32_t> foreign) {
    return Judged({{"out_of_sequence", Kind::kGrew, 12}}, lossless, foreign);
  };
  EXPECT_EQ(judged(100).outcome, Outcome::kFail);
  EXPECT_EQ(judged(101).outcome, Outcome::kUnknown);
  EXPECT_TRUE(judged(101).blocking);
  EXPECT_THAT(judged(340).observed, HasSubstr("+12 on node1 mlx5_0/1; 34 % of the port's traffic is others'"));
  EXPECT_EQ(judged(std::nullopt).outcome, Outcome::kWarn);
  EXPECT_THAT(judged(std::nullopt).observed, HasSubstr("what else the port carried is not counted"));
  EXPECT_EQ(Judged({{"out_of_sequence", Kind::kGrew, 12}}, OnHardware(), 900).outcome, Outcome::kWarn);
}

TEST(JudgeTransfer, WarnsOfWhatASoftwareDeviceSentAgainAndShowsTheRest) {
  for (const char* counter : {"completer_retry_err", "duplicate_request", "rcvd_seq_err", "send_rnr_err"}) {
    const Finding finding = Judged({{counter, Kind::kGrew, 1}}, Peer());
    EXPECT_EQ(finding.outcome, Outcome::kWarn) << counter;
    EXPECT_THAT(finding.observed, HasSubstr(std::string("; ") + counter + " +1 on node1 mlx5_0/1"));
  }
  const Finding shown = Judged({{"send_err", Kind::kGrew, 3}}, Peer());
  EXPECT_EQ(shown.outcome, Outcome::kPass);
  EXPECT_THAT(shown.observed, HasSubstr("; send_err +3 on node1 mlx5_0/1"));
  EXPECT_EQ(WhatToDo(shown), "");
}

TEST(JudgeTransfer, WarnsOfHardwareThatMovesASmallShareOfTheLink) {
  const auto judged = [](std::uint64_t bytes_per_s, std::uint32_t link_mbps,
                         std::int64_t elapsed_ns = 500'000'000) {
    TransferResult result = Good();
    result.throughput_bytes_per_s = bytes_per_s;
    result.elapsed_ns = elapsed_ns;
    TransferPlace place = OnHardware();
    place.link_mbps = link_mbps;
    return JudgeTransfer(result, place);
  };
  const Finding capped = judged(1'625'000'000, 200'000);
  EXPECT_EQ(capped.outcome, Outcome::kWarn);
  EXPECT_THAT(capped.observed, HasSubstr("; that is 13000 Mb/s, 6 % of the slower link's 200000"));
  EXPECT_THAT(capped.expected, HasSubstr("at about 40000 Mb/s or more"));
  EXPECT_THAT(WhatToDo(capped), HasSubstr("--no-verify --qps 4"));
  EXPECT_EQ(judged(5'000'000'000, 400'000).outcome, Outcome::kPass);  // one CPU that compares
  EXPECT_EQ(judged(790'000'000, 25'000).outcome, Outcome::kPass);
  EXPECT_EQ(judged(770'000'000, 25'000).outcome, Outcome::kWarn);
  EXPECT_EQ(judged(1'625'000'000, 200'000, 4'000'000).outcome, Outcome::kPass);  // too short to tell
  EXPECT_EQ(judged(1, 0).outcome, Outcome::kPass);
  TransferPlace software = Peer();
  software.link_mbps = 200'000;
  EXPECT_EQ(JudgeTransfer(Good(), software).outcome, Outcome::kPass);
  TransferPlace demanding = Demanding(400, 1'000'000);
  demanding.link_mbps = 200'000;
  EXPECT_EQ(JudgeTransfer(Good(), demanding).outcome, Outcome::kPass);  // the site's word is enough
}

TEST(JudgeTransfer, WarnsOfHardwareThatMovedNothingForAWhile) {
  TransferResult stalled = Good();
  stalled.worst_interval_bytes_per_s = 0;
  const Finding finding = JudgeTransfer(stalled, OnHardware());
  EXPECT_EQ(finding.outcome, Outcome::kWarn);
  EXPECT_THAT(finding.observed, HasSubstr("nothing moved for 100 ms"));
  stalled.elapsed_ns = 99'000'000;
  EXPECT_EQ(JudgeTransfer(stalled, OnHardware()).outcome, Outcome::kPass);
}

TEST(JudgeTransfer, ShowsCongestionAndResetsAndDoesNotJudgeThem) {
  const Finding congested = Judged({{"np_cnp_sent", Kind::kGrew, 3}}, OnHardware());
  EXPECT_EQ(congested.outcome, Outcome::kPass);
  EXPECT_THAT(congested.observed, HasSubstr("np_cnp_sent +3"));
  const Finding reset = Judged({{"out_of_sequence", Kind::kReset, 3}}, OnHardware());
  EXPECT_EQ(reset.outcome, Outcome::kPass);
  EXPECT_THAT(reset.observed, HasSubstr("was reset during the test: its growth is not known"));
}

TEST(JudgeTransfer, IsTheSameWhenNothingGrewOrNothingIsKnownOfTheCounters) {
  const Finding plain = JudgeTransfer(Good(), OnHardware());
  EXPECT_EQ(Judged({{"out_of_sequence", Kind::kUnchanged, 0}}, OnHardware()), plain);
  const EndCounters unknown{"node1", "mlx5_0/1", Missing{Missing::Kind::kDenied, "read: Permission denied"}};
  EXPECT_EQ(JudgeTransfer(Good(), OnHardware(), {&unknown, 1}), plain);
}

TEST(JudgeTransfer, AFailedTransferStaysOneAndTellsWhatWasCounted) {
  TransferResult result = Good();
  result.failure = {FailureKind::kCompletion, "RDMA write: transport retry counter exceeded"};
  const EndCounters counters{"node1", "mlx5_0/1",
                             std::vector<CounterChange>{{"local_ack_timeout_err", Kind::kGrew, 8}}};
  const Finding finding = JudgeTransfer(result, OnHardware(), {&counters, 1});
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_THAT(finding.observed, HasSubstr("exceeded; local_ack_timeout_err +8 on node1 mlx5_0/1"));
  EXPECT_EQ(finding.why, JudgeTransfer(result, OnHardware()).why);
}

TEST(NotTested, IsUnknownAndBlocks) {
  const Finding finding = NotTested("send-1k", Peer(), "rxe0/1 is in use by cli@b");
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_TRUE(finding.blocking);
  EXPECT_EQ(finding.observed, "not tested: rxe0/1 is in use by cli@b");
}

TEST(NoPath, FailsWithTheReason) {
  const Finding finding = NoPath(Peer(), "no common subnet");
  EXPECT_EQ(finding.id, "peer.path");
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_NE(FindTransferCheck(finding.id), nullptr);
}

TEST(ObstacleTo, NamesWhatMakesALiveTestPointless) {
  const Profile profile = VirtualFabricProfile();
  const auto down = JudgeHost(WithPort([](Port& port) { port.state = PortState::kDown; }), profile);
  ASSERT_NE(ObstacleTo(down, "rxe0/1 dcb0"), nullptr);
  EXPECT_EQ(ObstacleTo(down, "rxe0/1 dcb0")->id, "link.state");
  EXPECT_EQ(ObstacleTo(down, "rxe1/1 dcb1"), nullptr);
  EXPECT_EQ(ObstacleTo(JudgeHost(WithPfc(0), profile), "rxe0/1 dcb0"), nullptr);
  EXPECT_EQ(ObstacleTo(JudgeHost(GoodHost(), profile), "rxe0/1 dcb0"), nullptr);
}

TEST(Explained, HidesALiveFindingBehindTheHostsOwn) {
  const auto down =
      JudgeHost(WithPort([](Port& port) { port.state = PortState::kDown; }), VirtualFabricProfile());
  const Finding finding = Explained(NoPath(Peer(), "no common subnet"), *ObstacleTo(down, "rxe0/1 dcb0"), "b");
  EXPECT_EQ(finding.outcome, Outcome::kNotApplicable);
  EXPECT_EQ(finding.observed, "not judged: link.state fails on b");
}

TEST(LackFor, NamesADeviceWithoutWindowsForTheCaseThatNeedsThem) {
  const auto lack = [](std::string_view case_name, const Fact<DeviceLimits>& limits) {
    return LackFor(case_name, WithPort([&](Port& port) { port.limits = limits; }), "rxe0");
  };
  const DeviceLimits good{.max_mw = 8, .fast_registration = true, .mw_type_2b = true};
  EXPECT_EQ(lack("smbd-invalidate", good), "");
  EXPECT_EQ(lack("smbd-invalidate", DeviceLimits{.max_mw = 8, .mw_type_2a = true}),
            "rxe0 knows no remote invalidation");
  const DeviceLimits none{.fast_registration = true};
  EXPECT_EQ(lack("smbd-invalidate", none), "rxe0 has no memory windows of type 2");
  EXPECT_EQ(lack("smbd-8k", none), "");
  EXPECT_EQ(lack("smbd-invalidate", Fact<DeviceLimits>()), "");  // not told
  EXPECT_EQ(LackFor("smbd-invalidate", WithPort([&](Port& port) { port.limits = none; }), "another"), "");
}

TEST(NotPossible, WeighsNothingAndSaysWhy) {
  TransferPlace place = Peer();
  place.rung = Rung::kSmbDirect;
  const Finding finding = NotPossible("smbd-invalidate", place, "a: siw0 has no memory windows of type 2");
  EXPECT_EQ(finding.id, "smb-direct.smbd-invalidate");
  EXPECT_EQ(finding.outcome, Outcome::kNotApplicable);
  EXPECT_EQ(finding.observed, "a: siw0 has no memory windows of type 2");
  EXPECT_TRUE(finding.fix.empty());
}

}  // namespace
}  // namespace rdmaready
