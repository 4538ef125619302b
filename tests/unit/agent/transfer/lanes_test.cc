// SPDX-License-Identifier: Apache-2.0
// Several queue pairs, both directions, raw speed, busy polling: what they measure, and that no fault hides
// in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "agent/link/failure.h"
#include "agent/transfer/lane.h"
#include "agent/transfer/lane_mux.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// A fabric for each queue pair, as the maker numbers them: first those there, then those back.
class Lanes : public testing::TestWithParam<Operation> {
 protected:
  MemoryFabric& fabric(std::size_t number) { return *fabrics_[number]; }
  // For another run.
  void Renew() { fabrics_ = MakeFabrics(); }

  LinkMaker Maker() {
    return [this](Role role, std::uint32_t number) {
      return std::make_unique<MemoryLink>(*fabrics_.at(number), role);
    };
  }

  struct Outcome {
    BothWays initiator{};
    BothWays responder{};
  };

  Outcome Run(const TransferCase& test, const RunOptions& options) { return Run(test, options, options); }

  Outcome Run(const TransferCase& test, const RunOptions& initiator, const RunOptions& responder) {
    ChannelPair channel = MakeLocalChannel();
    Outcome outcome;
    {
      const std::jthread other([&] {
        outcome.responder = RunEnd(Role::kResponder, test, Maker(), *channel.first, responder);
        channel.first.reset();
      });
      outcome.initiator = RunEnd(Role::kInitiator, test, Maker(), *channel.second, initiator);
      channel.second.reset();
    }
    for (const auto& each : fabrics_) EXPECT_EQ(each->Registered(), 0u);
    return outcome;
  }

  static RunOptions With(std::uint32_t qps, bool bidirectional = false) {
    RunOptions options = QuickOptions();
    options.qps = qps;
    options.bidirectional = bidirectional;
    return options;
  }

  static RunOptions StalledAfter(milliseconds limit) {
    RunOptions options = With(2);
    options.stall_limit = limit;
    return options;
  }

  // Messages of one queue pair that was capped: send counts the answers too.
  static std::uint64_t MessagesOf(Operation operation) {
    return operation == Operation::kSend ? 2 * kMessages : kMessages;
  }

 private:
  static std::vector<std::unique_ptr<MemoryFabric>> MakeFabrics() {
    std::vector<std::unique_ptr<MemoryFabric>> fabrics;
    for (int i = 0; i < 8; ++i) fabrics.push_back(std::make_unique<MemoryFabric>());
    return fabrics;
  }

  std::vector<std::unique_ptr<MemoryFabric>> fabrics_ = MakeFabrics();
};

INSTANTIATE_TEST_SUITE_P(Engine, Lanes, testing::Values(Operation::kSend, Operation::kWrite, Operation::kRead));

void ExpectWhole(const TransferResult& result, std::uint64_t messages) {
  EXPECT_EQ(result.failure, Failure{});
  EXPECT_EQ(result.messages, messages);
  EXPECT_EQ(result.bytes, messages * kMessageBytes);
  EXPECT_EQ(result.bytes_verified, result.unverified ? 0 : result.bytes);
  EXPECT_EQ(result.bytes_wrong, 0u);
  EXPECT_GT(result.elapsed_ns, 0);
  EXPECT_GT(result.throughput_bytes_per_s, 0u);
  EXPECT_GT(result.operations_per_s, 0u);
  EXPECT_GT(result.latency.p50_ns, 0);
  EXPECT_LE(result.latency.p50_ns, result.latency.max_ns);
}

TEST_P(Lanes, SeveralQueuePairsAddUp) {
  const Outcome outcome = Run(SmallCase(GetParam()), With(4));
  ExpectWhole(outcome.initiator.forward, 4 * MessagesOf(GetParam()));
  EXPECT_EQ(outcome.initiator.forward.qps, 4u);
  EXPECT_FALSE(outcome.initiator.reverse);
  EXPECT_EQ(outcome.initiator.forward, outcome.responder.forward);
}

TEST_P(Lanes, EachEndReportsThePathMtuOfItsOwnQueuePairs) {
  for (std::uint32_t lane = 0; lane < 2; ++lane) fabric(lane).path_mtu_bytes = {1024, 2048};
  Outcome outcome = Run(SmallCase(GetParam()), With(2));
  EXPECT_EQ(outcome.initiator.forward.path_mtu_bytes, 1024u);
  EXPECT_EQ(outcome.responder.forward.path_mtu_bytes, 2048u);
  Renew();
  fabric(1).path_mtu_bytes = {1024, 4096};
  outcome = Run(SmallCase(GetParam()), With(2));
  EXPECT_EQ(outcome.initiator.forward.path_mtu_bytes, std::nullopt) << "its queue pairs differ";
  EXPECT_EQ(outcome.responder.forward.path_mtu_bytes, 4096u);
}

TEST_P(Lanes, BothDirectionsHaveTheirOwnFigures) {
  const Outcome outcome = Run(SmallCase(GetParam()), With(1, true));
  ASSERT_TRUE(outcome.initiator.reverse && outcome.responder.reverse);
  ExpectWhole(outcome.initiator.forward, MessagesOf(GetParam()));
  ExpectWhole(*outcome.initiator.reverse, MessagesOf(GetParam()));
  EXPECT_TRUE(outcome.initiator.forward.bidirectional);
  EXPECT_EQ(outcome.initiator.forward, outcome.responder.forward);
  EXPECT_EQ(outcome.initiator.reverse, outcome.responder.reverse);
  EXPECT_NE(outcome.initiator.forward, outcome.initiator.reverse);
}

TEST_P(Lanes, SeveralQueuePairsInBothDirectionsUnverified) {
  RunOptions options = With(3, true);
  options.verify = false;
  const Outcome outcome = Run(SmallCase(GetParam()), options);
  ExpectWhole(outcome.initiator.forward, 3 * MessagesOf(GetParam()));
  ExpectWhole(*outcome.initiator.reverse, 3 * MessagesOf(GetParam()));
  EXPECT_TRUE(outcome.initiator.forward.unverified);
  EXPECT_EQ(outcome.initiator.reverse, outcome.responder.reverse);
}

TEST_P(Lanes, BeginTogether) {
  std::int64_t elapsed_ns = 0;
  const auto holds = [&] {
    Renew();
    // The second connection stands 150 ms after the first, which waits for it.
    fabric(1).slow_connect = milliseconds(150);
    const TransferResult result = Run(SmallCase(GetParam()), With(2)).initiator.forward;
    ExpectWhole(result, 2 * MessagesOf(GetParam()));
    elapsed_ns = result.elapsed_ns;
    return elapsed_ns < 140'000'000;
  };
  EXPECT_EQ(TimesOfTen(holds), kOften) << elapsed_ns << " ns";
}

Work WorkOf(Operation operation) {
  return operation == Operation::kSend    ? Work::kSend
         : operation == Operation::kWrite ? Work::kWrite
                                          : Work::kRead;
}

TEST_P(Lanes, AWrongByteOnOneQueuePairIsFound) {
  fabric(2).faults = {{.kind = Fault::Kind::kCorrupt, .work = WorkOf(GetParam()), .number = 17, .offset = 123}};
  const Outcome outcome = Run(SmallCase(GetParam()), With(4));
  EXPECT_EQ(outcome.initiator.forward.failure.kind, FailureKind::kCorrupt);
  EXPECT_EQ(outcome.initiator.forward.bytes_wrong, 1u);
  const std::uint64_t message = GetParam() == Operation::kSend ? 34 : 17;
  EXPECT_EQ(outcome.initiator.forward.first_wrong_offset, message * kMessageBytes + 123);
  EXPECT_EQ(outcome.initiator.forward.bytes_verified, outcome.initiator.forward.bytes);
  EXPECT_EQ(outcome.initiator.forward, outcome.responder.forward);
}

TEST_P(Lanes, AWrongByteOnTheWayBackSpoilsOnlyThatDirection) {
  fabric(1).faults = {{.kind = Fault::Kind::kCorrupt, .work = WorkOf(GetParam()), .number = 17, .offset = 123}};
  const Outcome outcome = Run(SmallCase(GetParam()), With(1, true));
  EXPECT_EQ(outcome.initiator.forward.failure, Failure{});
  EXPECT_EQ(outcome.initiator.reverse->failure.kind, FailureKind::kCorrupt);
  EXPECT_EQ(outcome.initiator.reverse, outcome.responder.reverse);
}

TEST_P(Lanes, AMessageLostOnOneQueuePairIsTold) {
  // What is lost of a ping-pong ends by the stall limit.
  const TransferResult result = WithShortestStallLimit(
      [&](milliseconds limit) {
        Renew();
        fabric(1).faults = {{.kind = Fault::Kind::kDrop, .work = WorkOf(GetParam()), .number = 17}};
        return Run(SmallCase(GetParam()), StalledAfter(limit)).initiator.forward;
      },
      [](const TransferResult& each, milliseconds) { return each.failure.kind == FailureKind::kLost; });
  EXPECT_EQ(result.failure.kind, FailureKind::kLost) << result.failure.detail;
}

TEST_P(Lanes, ADelayWithinTheLimitsPassesAndShowsInTheMaximum) {
  fabric(1).faults = {
      {.kind = Fault::Kind::kDelay, .work = WorkOf(GetParam()), .number = 17, .delay = milliseconds(150)}};
  const TransferResult result = Run(SmallCase(GetParam()), With(2)).initiator.forward;
  ExpectWhole(result, 2 * MessagesOf(GetParam()));
  EXPECT_GE(result.latency.max_ns, GetParam() == Operation::kSend ? 75'000'000 : 150'000'000);
}

TEST_P(Lanes, AStallOfOneQueuePairIsTheTestsStall) {
  milliseconds met{};
  const Outcome outcome = WithShortestStallLimit(
      [&](milliseconds limit) {
        Renew();
        fabric(1).faults = {{.kind = Fault::Kind::kDelay,
                             .work = WorkOf(GetParam()),
                             .number = 17,
                             .delay = milliseconds(60'000)}};
        return Run(SmallCase(GetParam()), StalledAfter(limit));
      },
      [&](const Outcome& each, milliseconds limit) {
        met = limit;
        const Failure& failure = each.initiator.forward.failure;
        return IsStallOf(failure, limit) && failure.detail.find(" 17 completed") != std::string::npos;
      });
  const Failure& failure = outcome.initiator.forward.failure;
  EXPECT_TRUE(IsStallOf(failure, met)) << failure.detail;
  EXPECT_THAT(failure.detail, HasSubstr("posted, 17 completed; nothing for "));
  EXPECT_EQ(outcome.initiator.forward.failure, outcome.responder.forward.failure);
}

TEST_P(Lanes, NoQueuePairBeginsWhenOneCannot) {
  fabric(1).unreachable = true;
  Outcome outcome;
  EXPECT_LT(TimeOf([&] { outcome = Run(SmallCase(GetParam()), With(3)); }), kAtOnce);
  EXPECT_EQ(outcome.initiator.forward.failure.kind, FailureKind::kUnreachable);
  EXPECT_EQ(outcome.initiator.forward.messages, 0u);
  EXPECT_EQ(outcome.responder.forward.failure.kind, FailureKind::kUnreachable);
}

TEST_P(Lanes, EndsThatDisagreeOnTheirNumberDoNotBegin) {
  const Outcome outcome = Run(SmallCase(GetParam()), With(2), With(1));
  EXPECT_EQ(outcome.initiator.forward.failure.kind, FailureKind::kPeerGone);
  EXPECT_THAT(outcome.initiator.forward.failure.detail, HasSubstr("do not agree"));
  EXPECT_EQ(outcome.initiator.forward.messages, 0u);
}

TEST_P(Lanes, MissingBytesShowWhenVerifyingIsOffAtNoEnd) {
  RunOptions raw = With(1);
  raw.verify = false;
  const Outcome outcome = Run(SmallCase(GetParam()), raw, With(1));
  EXPECT_EQ(outcome.initiator.forward.failure.kind, FailureKind::kPeerGone);
  EXPECT_THAT(outcome.initiator.forward.failure.detail, HasSubstr("do not agree"));
}

TEST_P(Lanes, OnlyWhoWaitsForCompletionsSpins) {
  RunOptions options = With(1);
  options.busy_poll = true;
  EXPECT_TRUE(Run(SmallCase(GetParam()), options).initiator.forward.busy_poll);
  EXPECT_TRUE(fabric(0).end(Role::kInitiator).settings.busy_poll);
  EXPECT_EQ(fabric(0).end(Role::kResponder).settings.busy_poll, GetParam() != Operation::kRead);
}

TEST_F(Lanes, WhoOnlyLendsItsMemoryToRawWritesSleeps) {
  RunOptions options = With(1);
  options.busy_poll = true;
  options.verify = false;
  Run(SmallCase(Operation::kWrite), options);
  EXPECT_TRUE(fabric(0).end(Role::kInitiator).settings.busy_poll);
  EXPECT_FALSE(fabric(0).end(Role::kResponder).settings.busy_poll);
}

TEST_F(Lanes, TheMarkReachesTheLinkAndTheResult) {
  RunOptions options = With(1);
  options.tos = 106;
  EXPECT_EQ(Run(SmallCase(Operation::kWrite), options).initiator.forward.marking.tos, 106);
  for (const Role role : {Role::kInitiator, Role::kResponder}) EXPECT_EQ(fabric(0).end(role).settings.tos, 106);
}

LaneEnd EndOf(std::int64_t elapsed_ns, std::uint64_t bytes, std::vector<std::uint64_t> intervals) {
  LaneEnd end;
  end.result.elapsed_ns = elapsed_ns;
  end.result.bytes = bytes;
  end.result.messages = 1;
  end.latencies.Record(elapsed_ns);
  end.interval_bytes = std::move(intervals);
  return end;
}

TEST(MergeLanes, AddsBytesOverTheLongerTimeAndIntervalsOneByOne) {
  const std::vector<LaneEnd> ends{EndOf(1'000'000'000, 100, {10, 1, 30}), EndOf(2'000'000'000, 100, {1, 10})};
  const TransferResult merged = MergeLanes(ends);
  EXPECT_EQ(merged.bytes, 200u);
  EXPECT_EQ(merged.elapsed_ns, 2'000'000'000);
  EXPECT_EQ(merged.throughput_bytes_per_s, 100u);
  EXPECT_EQ(merged.worst_interval_bytes_per_s, 110u) << "11 bytes in each of the two whole intervals of both";
  EXPECT_EQ(merged.latency.max_ns, 2'000'000'000);
  EXPECT_EQ(merged.qps, 2u);
}

TEST(MergeLanes, TakesItsTimeFromTheFirstBeginningToTheLastEnd) {
  std::vector<LaneEnd> ends{EndOf(1'000, 100, {}), EndOf(1'000, 100, {}), EndOf(0, 0, {})};
  ends[0].begun_ns = 5'000;
  ends[1].begun_ns = 5'700;  // its thread got its processor late; the third lane never began
  EXPECT_EQ(MergeLanes(ends).elapsed_ns, 1'700);
  ends[0].result.elapsed_ns = ends[1].result.elapsed_ns = 0;
  EXPECT_EQ(MergeLanes(ends).elapsed_ns, 0);
}

TEST(MergeLanes, TellsTheMoreTellingFailure) {
  std::vector<LaneEnd> ends(3);
  ends[0].result.failure = {.kind = FailureKind::kPeerGone, .detail = "another"};
  ends[2].result.failure = {.kind = FailureKind::kSetup, .detail = "why"};
  EXPECT_EQ(MergeLanes(ends).failure.detail, "why");
}

TEST(LaneMux, KeepsConversationsApart) {
  ChannelPair channel = MakeLocalChannel();
  LaneMux a(*channel.first, 2);
  LaneMux b(*channel.second, 2);
  ASSERT_TRUE(a.lane(1).Send({.kind = PeerMessageKind::kOffer, .case_name = "one"}).ok());
  ASSERT_TRUE(a.lane(0).Send({.kind = PeerMessageKind::kOffer, .case_name = "zero"}).ok());
  EXPECT_EQ(Next(b.lane(0)).case_name, "zero");
  EXPECT_EQ(Next(b.lane(1)).case_name, "one");
  EXPECT_EQ(b.lane(1).Poll(), PeerState::kQuiet);
}

TEST(LaneMux, ClosesAllWhenTheChannelDoesOrSomebodySpeaksOnALaneThatIsNone) {
  for (const bool hostile : {false, true}) {
    ChannelPair channel = MakeLocalChannel();
    LaneMux mux(*channel.first, 2);
    if (hostile) {
      ASSERT_TRUE(channel.second->Send({.kind = PeerMessageKind::kOffer, .lane = 2}).ok());
    } else {
      channel.second.reset();
    }
    EXPECT_EQ(FailureOf(mux.lane(1).Receive(Soon()).status()).kind, FailureKind::kPeerGone);
    EXPECT_EQ(mux.lane(0).Poll(), PeerState::kClosed);
  }
}

TEST(LaneMux, KeepsAFloodFromItsMemory) {
  ChannelPair channel = MakeLocalChannel();
  LaneMux mux(*channel.first, 2);
  for (int i = 0; i < 1000; ++i) static_cast<void>(channel.second->Send({.kind = PeerMessageKind::kReady}));
  EXPECT_TRUE(absl::IsUnavailable(mux.lane(1).Receive(Soon()).status())) << "the flood closes every lane";
  int kept = 0;
  while (mux.lane(0).Receive(Soon()).ok()) ++kept;
  EXPECT_LT(kept, 1000) << "closed before it had them all";
}

}  // namespace
}  // namespace rdmaready
