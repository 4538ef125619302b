// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;
using Kind = CounterChange::Kind;

constexpr std::uint32_t kPriority = 3;

NicChange Nic(NicCounter counter, std::optional<std::uint32_t> priority, std::string name, std::uint64_t by) {
  return {.netdev = "dcb0",
          .counter = counter,
          .priority = priority,
          .change = {std::move(name), by > 0 ? Kind::kGrew : Kind::kUnchanged, by}};
}

struct NicCounts {
  std::uint64_t drops = 0;
  std::uint64_t pauses_sent = 0;
  std::uint64_t pauses_received = 0;
};

EndCounters End(const std::string& host, const NicCounts& nic, std::uint64_t missed = 0) {
  EndCounters end{.host = host, .port = "rxe0/1"};
  end.changes =
      std::vector<CounterChange>{{"out_of_sequence", missed > 0 ? Kind::kGrew : Kind::kUnchanged, missed}};
  end.nic =
      std::vector<NicChange>{Nic(NicCounter::kDropReceived, kPriority, "rx_prio3_discards", nic.drops),
                             Nic(NicCounter::kPauseSent, kPriority, "tx_prio3_pause", nic.pauses_sent),
                             Nic(NicCounter::kPauseReceived, kPriority, "rx_prio3_pause", nic.pauses_received)};
  end.pressure.assign(20, {.pauses = 2, .idle_permille = 600});
  return end;
}

IncastFlow Flow(const std::string& from, const std::string& to, std::uint64_t bytes_per_s,
                std::int64_t p99_ns = 1'000'000) {
  return {.from = from,
          .to = to,
          .result = {.operation = Operation::kWrite,
                     .transport = "roce-v2",
                     .messages = 1000,
                     .elapsed_ns = 5'000'000'000,
                     .throughput_bytes_per_s = bytes_per_s,
                     .latency = {.p99_ns = p99_ns}},
          .counters = {End(from, {.pauses_received = 9}), End(to, {.pauses_sent = 9})},
          .sender_has_pfc = true};
}

// Two senders that share 40 MB/s of the receiver, paused as it should be.
IncastRun RightRun() {
  return {.senders = {Flow("a", "d", 20'000'000), Flow("b", "d", 19'000'000)},
          .victim_alone = Flow("e", "f", 1'000'000),
          .victim_again = Flow("e", "f", 1'000'000, 1'200'000),
          .victim = Flow("e", "f", 1'000'000, 1'800'000),
          .drain_bytes_per_s = 40'000'000};
}

// Both senders' frames are lost somewhere.
IncastRun LossyRun() {
  IncastRun run = RightRun();
  for (IncastFlow& flow : run.senders) flow.counters[1] = End("d", {}, 7);
  return run;
}

IncastJudgement Judge(const IncastRun& run) {
  return JudgeIncast(run, {.rung = Rung::kPeer,
                           .lossless = true,
                           .rdma_priority = kPriority,
                           .ethernet = "dcb0",
                           .peer_ethernet = "dcb0"});
}

TEST(Incast, IsLosslessWhereNothingIsLostAndTheVictimWaitsUpToTwiceAsLong) {
  const IncastJudgement judged = Judge(RightRun());
  EXPECT_EQ(judged.verdict, IncastVerdict::kLossless) << judged.text;
  EXPECT_EQ(judged.goodput_bytes_per_s, 39'000'000U);
  EXPECT_GT(judged.fairness, 0.99);
  EXPECT_EQ(judged.pressure_permille, 1000U);
  EXPECT_THAT(judged.text, HasSubstr("lossless works: 2 senders, 39"));
  EXPECT_THAT(judged.text, HasSubstr("the victim's p99 is 1.5 times its own"));
  EXPECT_EQ(judged.culprit, "");
}

TEST(Incast, IsControlledWhereMostOfTheRateIsKeptAndSharedFairly) {
  const IncastJudgement judged = Judge(LossyRun());
  EXPECT_EQ(judged.verdict, IncastVerdict::kControlled) << judged.text;
  EXPECT_TRUE(judged.lost);
}

TEST(Incast, CollapsesWhereTheRateIsNotKept) {
  IncastRun run = LossyRun();
  for (IncastFlow& flow : run.senders) flow.result.throughput_bytes_per_s /= 2;
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing);
  run = LossyRun();
  run.senders[0].result.throughput_bytes_per_s = 38'000'000;
  run.senders[1].result.throughput_bytes_per_s = 1'000'000;
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing) << "unfair";
  run = LossyRun();
  run.drain_bytes_per_s = 0;
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing) << "nobody knows what would be enough";
  run = RightRun();
  run.senders[1].result.failure = {FailureKind::kCompletion, "transport retry counter exceeded"};
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing) << "a sender did not get to its end";
}

TEST(Incast, CollapsesForAVictimThatFailsBesideIt) {
  for (const FailureKind kind : {FailureKind::kStalled, FailureKind::kLost, FailureKind::kCompletion}) {
    IncastRun run = RightRun();
    run.victim->result.failure = {kind, "it ended"};
    run.victim->result.latency.p99_ns = 1'000'000;  // of the few messages that were carried
    EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing) << static_cast<int>(kind);
    EXPECT_THAT(Judge(run).text, HasSubstr("the victim's transfer failed"));
    EXPECT_THAT(Judge(run).text, HasSubstr("the victim was not carried to its end: it ended"));
    EXPECT_FALSE(Judge(run).victim_growth);
    run.victim_shares_a_sender = true;
    EXPECT_EQ(Judge(run).verdict, IncastVerdict::kLossless) << "it is not judged";
  }
}

TEST(Incast, CollapsesForAVictimThatLosesFrames) {
  IncastRun run = RightRun();
  run.victim->counters[1] = End("f", {.drops = 3});
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing);
  EXPECT_THAT(Judge(run).text, HasSubstr("the victim lost frames"));
  EXPECT_THAT(Judge(run).culprit, HasSubstr("in f's NIC dcb0"));
  run.victim->counters[1] = End("f", {}, 3);
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing) << "missing packets are lost ones";
}

TEST(Incast, IsUnknownWhereTheVictimAloneFailed) {
  for (std::optional<IncastFlow> IncastRun::*const alone :
       {&IncastRun::victim_alone, &IncastRun::victim_again}) {
    for (const FailureKind kind : {FailureKind::kStalled, FailureKind::kCompletion, FailureKind::kSetup}) {
      IncastRun run = RightRun();
      (run.*alone)->result.failure = {kind, "why"};
      EXPECT_EQ(Judge(run).verdict, IncastVerdict::kUnknown) << static_cast<int>(kind);
      EXPECT_THAT(Judge(run).text, HasSubstr("the victim alone was not carried: e -> f: why"));
    }
    IncastRun empty = RightRun();
    (empty.*alone)->result.latency.p99_ns = 0;
    EXPECT_EQ(Judge(empty).verdict, IncastVerdict::kUnknown);
    IncastRun absent = RightRun();
    (absent.*alone).reset();
    EXPECT_EQ(Judge(absent).verdict, IncastVerdict::kUnknown);
  }
  IncastRun run = RightRun();
  run.victim->result.latency.p99_ns = -5;
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kUnknown);
}

TEST(Incast, IsUnknownWhereASenderEndedEarlyAndNoCounterShowsALoss) {
  for (const FailureKind kind : {FailureKind::kStalled, FailureKind::kDisconnected}) {
    IncastRun run = RightRun();
    run.senders[1].result.failure = {kind, "not finished by the deadline"};
    EXPECT_EQ(Judge(run).verdict, IncastVerdict::kUnknown) << static_cast<int>(kind);
    EXPECT_THAT(Judge(run).text, HasSubstr("no counter shows a loss: b -> d: not finished"));
    run.senders[1].counters[1] = End("d", {.drops = 1});
    EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing) << static_cast<int>(kind);
  }
}

TEST(Incast, IsUnknownWherePacketsWereSentAgainAfterATimeoutAlone) {
  for (const char* counter : {"completer_retry_err", "duplicate_request"}) {
    IncastRun run = RightRun();
    std::vector<CounterChange> changes = *run.senders[0].counters[0].changes;
    changes.push_back({counter, Kind::kGrew, 64});
    run.senders[0].counters[0].changes = changes;
    EXPECT_EQ(Judge(run).verdict, IncastVerdict::kUnknown) << counter;
    EXPECT_FALSE(Judge(run).lost);
    EXPECT_THAT(Judge(run).text, HasSubstr("sent again after a timeout"));
    run.senders[0].counters[1] = End("d", {.drops = 1});
    EXPECT_EQ(Judge(run).verdict, IncastVerdict::kControlled) << counter;
  }
}

TEST(Incast, TakesTimeoutsForALossWhereANicDroppedFramesWhileItSent) {
  IncastRun run = RightRun();
  EndCounters& sender = run.senders[0].counters[0];
  std::vector<CounterChange> changes = *sender.changes;
  changes.push_back({"local_ack_timeout_err", Kind::kGrew, 6});
  sender.changes = changes;
  std::vector<NicChange> nic = *sender.nic;
  nic.push_back(Nic(NicCounter::kDropSent, std::nullopt, "tx_discards_phy", 5));
  sender.nic = nic;
  EXPECT_TRUE(Judge(run).lost);
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kControlled) << Judge(run).text;
  EXPECT_THAT(Judge(run).culprit,
              HasSubstr("first lost in a's NIC dcb0, on the way a -> d: tx_discards_phy +5"));
  nic.push_back(Nic(NicCounter::kLinkDown, std::nullopt, "link_down_events_phy", 1));
  sender.nic = nic;
  EXPECT_FALSE(Judge(run).lost) << "it dropped the frames that waited for the link";
}

TEST(Incast, CollapsesForWrongBytesWhateverElseWasSeen) {
  IncastRun run = RightRun();
  run.senders[0].result.failure = {FailureKind::kCorrupt, "1 byte differs"};
  for (PressureSample& sample : run.senders[1].counters[0].pressure) sample = {};
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing);
  EXPECT_THAT(Judge(run).text, HasSubstr("bytes arrived that were not sent"));
}

TEST(Incast, CountsThePressureOfBothEnds) {
  IncastRun run = RightRun();
  for (IncastFlow& flow : run.senders) {
    flow.counters[0].pressure.assign(20, {.idle_permille = 600});
    flow.counters[1].pressure.assign(20, {.marks = 3, .idle_permille = 600});
  }
  EXPECT_EQ(Judge(run).pressure_permille, 1000U) << "the receiver's NIC marked frames";
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kLossless);
}

TEST(Incast, NeedsNoPressureWhereALossIsProven) {
  IncastRun run = LossyRun();
  for (IncastFlow& flow : run.senders) {
    flow.result.throughput_bytes_per_s = 1'000'000;
    // A queue pair that waits for its acknowledgement timeout counts nothing.
    for (EndCounters& end : flow.counters) end.pressure.assign(20, {.idle_permille = 600});
    flow.counters[0].pressure[0].drops = 4;
  }
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing) << Judge(run).text;
  EXPECT_EQ(Judge(run).pressure_permille, 50U);
}

TEST(Incast, LeavesOutTheSamplesBehindATransfer) {
  IncastRun run = RightRun();
  for (IncastFlow& flow : run.senders)
    for (EndCounters& end : flow.counters) end.pressure.resize(60);  // without pauses and without idle time
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kLossless) << Judge(run).text;
}

TEST(Incast, LeavesOutTheSamplesOfAResponderThatWaitsForTheStart) {
  IncastRun run = RightRun();
  for (IncastFlow& flow : run.senders) {
    std::vector<PressureSample>& samples = flow.counters[1].pressure;
    // It prepares its memory, and no CPU is idle.
    samples.insert(samples.begin(), 80, {.idle_permille = 0});
  }
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kLossless) << Judge(run).text;
  EXPECT_EQ(Judge(run).pressure_permille, 1000U);
}

TEST(Incast, JudgesNumbersOfAnySize) {
  IncastRun run = RightRun();
  run.victim->result.latency.p99_ns = std::numeric_limits<std::int64_t>::max();
  run.victim_alone->result.latency.p99_ns = run.victim_again->result.latency.p99_ns = 1;
  for (IncastFlow& flow : run.senders)
    flow.result.throughput_bytes_per_s = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing);
  EXPECT_EQ(Judge(run).goodput_bytes_per_s, std::numeric_limits<std::uint64_t>::max());
}

TEST(Incast, CollapsesForAVictimThatWaitsLongerUnlessItSharesASender) {
  IncastRun run = RightRun();
  run.victim->result.latency.p99_ns = 2'500'000;
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kCollapsing);
  run.victim_shares_a_sender = true;
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kLossless);
  EXPECT_THAT(Judge(run).text, HasSubstr("it shares a sender: not judged"));
}

TEST(Incast, ShowsASecondVictimAndDoesNotJudgeIt) {
  IncastRun run = RightRun();
  run.second_victim_alone = Flow("a", "f", 1'000'000);
  run.second_victim = Flow("a", "f", 1'000'000, 9'000'000);
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kLossless);
  EXPECT_THAT(Judge(run).text,
              HasSubstr("the second victim's p99 is 9.0 times its own (it shares a sender: not"));
  run.second_victim->result.failure = {FailureKind::kStalled, "why"};
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kLossless);
  EXPECT_THAT(Judge(run).text, HasSubstr("the second victim was not carried to its end"));
}

TEST(Incast, IsUnknownWhereTheMachineLimits) {
  IncastRun busy = RightRun();
  for (PressureSample& sample : busy.senders[1].counters[0].pressure) sample.idle_permille = 249;
  EXPECT_EQ(Judge(busy).verdict, IncastVerdict::kUnknown);
  EXPECT_THAT(Judge(busy).text,
              HasSubstr("the machine limits: CPUs of b were idle for 24.9 % of the time, wanted 25.0 %"));
  IncastRun idle = RightRun();
  for (IncastFlow& flow : idle.senders)
    for (EndCounters& end : flow.counters)
      for (std::size_t i = 0; i < 3; ++i) end.pressure[i].pauses = 0;
  EXPECT_EQ(Judge(idle).verdict, IncastVerdict::kUnknown);
  EXPECT_THAT(Judge(idle).text, HasSubstr("held the senders back in 85.0 %"));
  IncastRun silent = RightRun();
  silent.senders[0].counters[1].pressure.resize(4);
  EXPECT_EQ(Judge(silent).verdict, IncastVerdict::kUnknown);
  silent.senders[0].counters.pop_back();
  EXPECT_EQ(Judge(silent).verdict, IncastVerdict::kUnknown);
}

TEST(Incast, IsUnknownWhereTheVictimAloneIsNoisy) {
  IncastRun run = RightRun();
  run.victim_again->result.latency.p99_ns = 1'600'000;
  EXPECT_EQ(Judge(run).verdict, IncastVerdict::kUnknown);
  EXPECT_THAT(Judge(run).text, HasSubstr("the victim alone differs by 1.6"));
}

TEST(Incast, IsUnknownWhereATransferWasNotMade) {
  for (const FailureKind kind : {FailureKind::kSetup, FailureKind::kUnreachable, FailureKind::kPeerGone,
                                 FailureKind::kCancelled, FailureKind::kRejected, FailureKind::kUnknown}) {
    IncastRun run = RightRun();
    run.senders[0].result.failure = {kind, "why"};
    EXPECT_EQ(Judge(run).verdict, IncastVerdict::kUnknown) << static_cast<int>(kind);
    EXPECT_THAT(Judge(run).text, HasSubstr("a transfer was not made: a -> d: why"));
  }
  IncastRun one = RightRun();
  one.senders.pop_back();
  EXPECT_THAT(Judge(one).text, HasSubstr("an incast needs two senders"));
}

TEST(Incast, NamesTheReceiverThatNeverPaused) {
  IncastRun run = RightRun();
  for (IncastFlow& flow : run.senders) flow.counters = {End(flow.from, {}), End("d", {.drops = 5}, 5)};
  EXPECT_THAT(Judge(run).culprit, HasSubstr("in d's NIC dcb0"));
  EXPECT_THAT(OneLine(Judge(run).fix.remedy()), HasSubstr("enable PFC of priority 3: rdmaready plan d"));
}

TEST(Incast, NamesTheSwitchThatNeverPausedTheSenders) {
  IncastRun run = LossyRun();
  for (IncastFlow& flow : run.senders) flow.counters[0] = End(flow.from, {});
  EXPECT_THAT(Judge(run).culprit, HasSubstr("between a's NIC dcb0 and d's NIC dcb0"));
  EXPECT_THAT(OneLine(Judge(run).fix.remedy()), HasSubstr("the switch never paused priority 3"));
}

TEST(Incast, NamesTheSenderWithoutPfc) {
  IncastRun run = LossyRun();
  run.senders[1].sender_has_pfc = false;
  EXPECT_EQ(Judge(run).culprit, "PFC of priority 3 is off at the sender b");
}

TEST(Incast, NamesADropThatIsProvenBeforeASenderWithoutPfc) {
  IncastRun run = LossyRun();
  run.senders[1].sender_has_pfc = false;
  run.senders[1].counters[1] = End("d", {.drops = 5}, 5);
  EXPECT_THAT(Judge(run).culprit, HasSubstr("in d's NIC dcb0"));
}

TEST(Incast, DoesNotAskForPfcWhereTheProfileDoesNot) {
  IncastRun run = LossyRun();
  run.senders[1].sender_has_pfc = false;
  const IncastJudgement judged =
      JudgeIncast(run, {.rung = Rung::kPeer, .lossless = false, .rdma_priority = kPriority});
  EXPECT_THAT(judged.culprit, Not(HasSubstr("is off at the sender")));
}

TEST(Incast, NamesTheTrustWhereTheReceiverPausedAndNoSenderWasPaused) {
  IncastRun run = RightRun();
  for (IncastFlow& flow : run.senders)
    flow.counters = {End(flow.from, {}), End("d", {.drops = 5, .pauses_sent = 9}, 5)};
  EXPECT_THAT(Judge(run).culprit, HasSubstr("in d's NIC dcb0"));
  EXPECT_THAT(Judge(run).culprit, HasSubstr("no sender was paused"));
  EXPECT_THAT(OneLine(Judge(run).fix.remedy()), HasSubstr("let the switch trust the mark"));
  run.senders[1].counters[0] = End("b", {.pauses_received = 1});
  EXPECT_THAT(Judge(run).culprit, Not(HasSubstr("no sender was paused")));
}

TEST(Incast, NamesThePauseOfAWholeLink) {
  IncastRun run = LossyRun();
  std::vector<NicChange> changes = *run.senders[0].counters[1].nic;
  changes.push_back(Nic(NicCounter::kGlobalPauseSent, std::nullopt, "tx_pause_ctrl_phy", 4));
  run.senders[0].counters[1].nic = changes;
  EXPECT_THAT(Judge(run).culprit, HasSubstr("the whole link of d's NIC dcb0 was paused"));
}

}  // namespace
}  // namespace rdmaready
