// SPDX-License-Identifier: Apache-2.0
// Tests in production: both ends agree on the limit, and the initiator keeps to it in every case.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "agent/link/pacer.h"
#include "agent/transfer/run.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

RunOptions InProduction(std::uint64_t limit_bytes_per_s) {
  RunOptions options = QuickOptions();
  options.max_bytes = 64ull << 20;
  options.pacer = std::make_shared<Pacer>(limit_bytes_per_s);
  options.reverse_pacer = std::make_shared<Pacer>(limit_bytes_per_s);
  return options;
}

class PacedCase : public testing::TestWithParam<TransferCase> {};

// Between the beginnings of two messages lies the time that the first one costs: n messages take n-1 of these
// times at least, however busy the machine is.
TEST_P(PacedCase, KeepsToTheLimitAndVerifiesEveryByte) {
  TransferCase test = GetParam();
  test.duration = milliseconds(120);
  const std::uint64_t limit = WireBytesOf(test.message_bytes) * 40;
  for (const bool verify : {true, false}) {
    RunOptions options = InProduction(limit);
    options.verify = verify;
    MemoryFabric fabric;
    const BothEnds both = RunBoth(fabric, test, options);
    EXPECT_EQ(both.initiator.failure, Failure{}) << both.initiator.failure.detail;
    EXPECT_EQ(both.responder.failure, Failure{}) << both.responder.failure.detail;
    const std::uint64_t trips = test.operation == Operation::kSend ? 2 : 1;
    const std::uint64_t begun = both.initiator.messages / trips;
    EXPECT_GT(begun, 1u);
    EXPECT_GE(both.initiator.elapsed_ns, static_cast<std::int64_t>((begun - 1) * 25'000'000));
    EXPECT_EQ(both.initiator.bytes_verified, verify ? both.initiator.bytes : 0u);
    EXPECT_EQ(both.initiator.limit_bytes_per_s, limit);
    EXPECT_EQ(both.responder.limit_bytes_per_s, limit);
  }
}

std::vector<TransferCase> KnownCases() {
  std::vector<TransferCase> cases;
  for (const Rung rung : {Rung::kLoopback, Rung::kSmbDirect})
    for (const TransferCase& one : CasesOn(rung)) cases.push_back(one);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(AllCases, PacedCase, testing::ValuesIn(KnownCases()), [](const auto& one) {
  std::string name(one.param.name);
  std::erase(name, '-');
  return name;
});

TEST(Paced, QueuePairsAndDirectionsShareTheLimitOfTheirDirection) {
  TransferCase test = SmallCase(Operation::kWrite);
  test.duration = milliseconds(400);
  const std::uint64_t limit = WireBytesOf(test.message_bytes) * 40;
  RunOptions options = InProduction(limit);
  options.qps = 3;
  options.bidirectional = true;
  std::vector<std::unique_ptr<MemoryFabric>> fabrics;
  for (int i = 0; i < 6; ++i) fabrics.push_back(std::make_unique<MemoryFabric>());
  const BothWays both = RunLoopback(
      test, [&](Role role, std::uint32_t index) { return std::make_unique<MemoryLink>(*fabrics[index], role); },
      options);
  ASSERT_TRUE(both.reverse);
  for (const TransferResult* result : {&both.forward, &*both.reverse}) {
    EXPECT_EQ(result->failure, Failure{}) << result->failure.detail;
    EXPECT_GT(result->messages, 3u);
    EXPECT_GE(result->elapsed_ns, static_cast<std::int64_t>((result->messages - 1) * 25'000'000) - 1'000'000);
  }
}

// A pong is as large as its ping: both directions of a bidirectional ping-pong share one limit.
TEST(Paced, PingPongsInBothDirectionsShareOneLimit) {
  TransferCase test = SmallCase(Operation::kSend);
  test.duration = milliseconds(400);
  const std::uint64_t limit = WireBytesOf(test.message_bytes) * 40;
  RunOptions options = InProduction(limit);
  options.bidirectional = true;
  MemoryFabric one;
  MemoryFabric other;
  const BothWays both = RunLoopback(
      test,
      [&](Role role, std::uint32_t index) {
        return std::make_unique<MemoryLink>(index == 0 ? one : other, role);
      },
      options);
  ASSERT_TRUE(both.reverse);
  EXPECT_EQ(both.forward.failure, Failure{}) << both.forward.failure.detail;
  const std::uint64_t pings = (both.forward.messages + both.reverse->messages) / 2;
  const std::int64_t longest = std::max(both.forward.elapsed_ns, both.reverse->elapsed_ns);
  EXPECT_LE(static_cast<std::int64_t>(pings - 2) * 25'000'000, longest + 50'000'000);
}

TEST(Paced, TheSmallerLimitOfTheTwoEndsHolds) {
  TransferCase test = SmallCase(Operation::kWrite);
  test.duration = milliseconds(50);
  const std::uint64_t small = WireBytesOf(test.message_bytes) * 100;
  MemoryFabric fabric;
  ChannelPair channel = MakeLocalChannel();
  MemoryLink theirs(fabric, Role::kResponder);
  MemoryLink ours(fabric, Role::kInitiator);
  TransferResult responder;
  TransferResult initiator;
  {
    const RunOptions slow = InProduction(small);
    const std::jthread other([&] { responder = RunResponder(test, theirs, *channel.first, slow); });
    initiator = RunInitiator(test, ours, *channel.second, InProduction(small * 10));
  }
  EXPECT_EQ(initiator.failure, Failure{}) << initiator.failure.detail;
  EXPECT_EQ(initiator.limit_bytes_per_s, small);
  EXPECT_EQ(responder.limit_bytes_per_s, small);
}

TEST(Paced, AMessageThatIsTooLargeForTheLimitIsNotSent) {
  const TransferCase test = SmallCase(Operation::kWrite);
  MemoryFabric fabric;
  const BothEnds both = RunBoth(fabric, test, InProduction(WireBytesOf(test.message_bytes) * 4));
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kCancelled);
  EXPECT_EQ(both.initiator.messages, 0u);
}

TEST(Paced, AnInitiatorRefusesAnOfferWithoutALimit) {
  const TransferCase test = SmallCase(Operation::kWrite);
  MemoryFabric fabric;
  const TransferResult result =
      RunInitiatorAgainst(fabric, test, InProduction(1u << 30), [&](MemoryLink& link, PeerChannel& peer) {
        EXPECT_EQ(Next(peer).kind, PeerMessageKind::kLimit);
        ASSERT_TRUE(link.Listen("there", {}).ok());
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kOffer,
                               .case_name = std::string(test.name),
                               .message_bytes = test.message_bytes,
                               .depth = test.depth})
                        .ok());
        Next(peer);
      });
  EXPECT_EQ(result.failure.kind, FailureKind::kCancelled) << result.failure.detail;
  EXPECT_THAT(result.failure.detail, HasSubstr("the responder does not limit what it sends"));
}

TEST(Paced, AResponderRefusesAnInitiatorThatSaysNoLimit) {
  const TransferCase test = SmallCase(Operation::kWrite);
  MemoryFabric fabric;
  const TransferResult result =
      RunResponderAgainst(fabric, test, InProduction(1u << 30), [&](MemoryLink&, PeerChannel& peer) {
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kLimit}).ok());
        EXPECT_EQ(Next(peer).kind, PeerMessageKind::kView);
        static_cast<void>(peer.Send({.kind = PeerMessageKind::kResult}));
      });
  EXPECT_EQ(result.failure.kind, FailureKind::kCancelled) << result.failure.detail;
  EXPECT_THAT(result.failure.detail, HasSubstr("the initiator does not limit what it sends"));
}

TEST(Paced, AResponderDoesNotWaitForALimitUntilItsDeadline) {
  const TransferCase test = SmallCase(Operation::kWrite);
  RunOptions options = InProduction(1u << 30);
  options.connect_limit = milliseconds(50);
  MemoryFabric fabric;
  TransferResult result;
  const auto run = [&] {
    result = RunResponderAgainst(fabric, test, options, [&](MemoryLink&, PeerChannel& peer) {
      EXPECT_EQ(Next(peer).kind, PeerMessageKind::kView);
      static_cast<void>(peer.Send({.kind = PeerMessageKind::kResult}));
    });
  };
  EXPECT_LT(TimeOf(run), kAtOnce);
  EXPECT_EQ(result.failure.kind, FailureKind::kCancelled) << result.failure.detail;
  EXPECT_THAT(result.failure.detail, HasSubstr("the initiator does not limit what it sends"));
}

TEST(Paced, AnEndThatIsNotInProductionRefusesALimitInWords) {
  const TransferCase test = SmallCase(Operation::kWrite);
  MemoryFabric fabric;
  const TransferResult result =
      RunResponderAgainst(fabric, test, QuickOptions(), [&](MemoryLink&, PeerChannel& peer) {
        EXPECT_EQ(Next(peer).kind, PeerMessageKind::kOffer);
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kLimit, .limit_bytes_per_s = 1}).ok());
        Next(peer);
      });
  EXPECT_THAT(result.failure.detail, HasSubstr("both need it, or neither"));
}

TEST(Paced, IsCancelledWhileItWaitsForItsTurn) {
  TransferCase test = SmallCase(Operation::kWrite);
  RunOptions options = InProduction(WireBytesOf(test.message_bytes) * 5);  // one in 200 ms
  std::stop_source stop;
  options.cancel = stop.get_token();
  options.why_cancelled = [] { return std::string("a user came"); };
  MemoryFabric fabric;
  const std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(50));
    stop.request_stop();
  });
  BothEnds both;
  EXPECT_LT(TimeOf([&] { both = RunBoth(fabric, test, options); }), kAtOnce);
  EXPECT_EQ(both.initiator.failure, (Failure{FailureKind::kCancelled, "a user came"}));
}

}  // namespace
}  // namespace rdmaready
