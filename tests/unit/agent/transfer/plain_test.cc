// SPDX-License-Identifier: Apache-2.0
// Plain verbs connections: how the ends introduce their queue pairs, and ends that report what cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/link/failure.h"
#include "agent/transfer/introduction.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

RunOptions Plain(RunOptions options = QuickOptions()) {
  options.connection = ConnectionKind::kVerbs;
  options.local_address = "10.0.0.2";  // as the responder's queue pair of a MemoryLink
  return options;
}

class PlainConnection : public testing::TestWithParam<Operation> {};

INSTANTIATE_TEST_SUITE_P(Engine, PlainConnection,
                         testing::Values(Operation::kSend, Operation::kWrite, Operation::kRead));

TEST_P(PlainConnection, MovesVerifiedBytes) {
  MemoryFabric fabric;
  const BothEnds ends = RunBoth(fabric, SmallCase(GetParam()), Plain());
  EXPECT_EQ(ends.initiator.failure, Failure{});
  EXPECT_GT(ends.initiator.messages, 0u);
  EXPECT_EQ(ends.initiator.bytes_verified, ends.initiator.bytes);
  EXPECT_EQ(ends.initiator.connection, ConnectionKind::kVerbs);
  EXPECT_EQ(ends.responder, ends.initiator);
}

TEST_P(PlainConnection, MovesBytesOnSeveralQueuePairsBothWays) {
  std::vector<std::unique_ptr<MemoryFabric>> fabrics;
  for (int i = 0; i < 4; ++i) fabrics.push_back(std::make_unique<MemoryFabric>());
  const LinkMaker maker = [&](Role role, std::uint32_t number) {
    return std::make_unique<MemoryLink>(*fabrics.at(number), role);
  };
  RunOptions options = Plain();
  options.qps = 2;
  options.bidirectional = true;
  const BothWays both = RunLoopback(SmallCase(GetParam()), maker, options);
  ASSERT_TRUE(both.reverse);
  for (const TransferResult* result : {&both.forward, &*both.reverse}) {
    EXPECT_EQ(result->failure, Failure{});
    EXPECT_EQ(result->connection, ConnectionKind::kVerbs);
    EXPECT_EQ(result->qps, 2u);
  }
}

TEST(PlainConnection, KeepsAReadyThatComesBeforeTheFirstMessageIsComplete) {
  MemoryFabric fabric;
  fabric.slow_connect = std::chrono::milliseconds(100);
  EXPECT_EQ(RunBoth(fabric, SmallCase(Operation::kWrite), Plain()).initiator.failure, Failure{});
}

TEST(PlainConnection, IsMadeWithAQueuePairThatCanBe) {
  const QueuePairEnd good{.gid = "::ffff:10.0.0.1", .number = 2, .psn = 0, .path_mtu_bytes = 1024, .reads = 1};
  EXPECT_TRUE(CheckQueuePair(good).ok());
  EXPECT_TRUE(CheckQueuePair({"fd00::1", 0xffffff, 0xffffff, 4096, 255}).ok());
  const auto refused = [&](auto change) {
    QueuePairEnd end = good;
    change(end);
    const Failure failure = FailureOf(CheckQueuePair(end));
    EXPECT_EQ(failure.kind, FailureKind::kSetup);
    return failure.detail;
  };
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.number = 0; }), HasSubstr("number 0"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.number = 1; }), HasSubstr("number 1"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.number = 1 << 24; }), HasSubstr("number 16777216"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.psn = 1 << 24; }), HasSubstr("sequence number 16777216"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.path_mtu_bytes = 0; }), HasSubstr("path MTU 0"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.path_mtu_bytes = 1025; }), HasSubstr("path MTU 1025"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.path_mtu_bytes = 8192; }), HasSubstr("path MTU 8192"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.reads = 0; }), HasSubstr("0 RDMA reads"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.reads = 256; }), HasSubstr("256 RDMA reads"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.gid = ""; }), HasSubstr("GID ''"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.gid = "10.0.0.1"; }), HasSubstr("GID '10.0.0.1'"));
  EXPECT_THAT(refused([](QueuePairEnd& end) { end.gid = std::string(1 << 20, '\n'); }), HasSubstr("GID '"));
}

TEST(PlainConnection, ShowsTheAddressOfAGid) {
  EXPECT_EQ(AddressOfGid("::ffff:10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(AddressOfGid("fd00:0::1"), "fd00::1");
  EXPECT_EQ(AddressOfGid("fd00::1%eth0"), "");
  EXPECT_EQ(AddressOfGid("10.0.0.1"), "");
  EXPECT_EQ(AddressOfGid(""), "");
}

// The failure of the initiator that hears this offer.
Failure HeardOffer(const Endpoint& endpoint, const RunOptions& options) {
  return FailureOf(CheckEndpoint(endpoint, options));
}

TEST(PlainConnection, NeedsAnOfferOfThatKind) {
  const Endpoint plain{.address = "10.0.0.2", .queue_pair = {"::ffff:10.0.0.2", 18, 0, 4096, 8}};
  EXPECT_EQ(HeardOffer(plain, Plain()).kind, FailureKind::kNone);
  EXPECT_EQ(HeardOffer({.address = "10.0.0.2", .port = 4711}, QuickOptions()).kind, FailureKind::kNone);
  const Failure older = HeardOffer({.address = "10.0.0.2", .port = 4711}, Plain());
  EXPECT_EQ(older.kind, FailureKind::kCancelled) << "which shows nothing either way";
  EXPECT_THAT(older.detail, HasSubstr("it is older"));
  EXPECT_EQ(HeardOffer(plain, QuickOptions()).kind, FailureKind::kPeerGone);
  Endpoint other = plain;
  other.address = "10.0.0.3";
  EXPECT_THAT(HeardOffer(other, Plain()).detail, HasSubstr("not that of its address"));
  other.address = "fd00::2";
  other.queue_pair.gid = "fd00:0:0::2";
  EXPECT_EQ(HeardOffer(other, Plain()).kind, FailureKind::kNone) << "the same, written otherwise";
  other.queue_pair.number = 1;
  EXPECT_EQ(HeardOffer(other, Plain()).kind, FailureKind::kSetup);
}

// Plays the initiator of a plain connection as far as its introduction.
TransferResult ResponderThatHears(const QueuePairEnd& end, RunOptions options = Plain(ImpatientOptions())) {
  MemoryFabric fabric;
  auto [responder, initiator] = MakeLocalChannel();
  MemoryLink link(fabric, Role::kResponder);
  TransferResult result;
  {
    const std::jthread other([&, &channel = responder] {
      result = RunResponder(SmallCase(Operation::kWrite), link, *channel, options);
    });
    const absl::StatusOr<PeerMessage> offer = initiator->Receive(Soon());
    EXPECT_TRUE(offer.ok());
    EXPECT_EQ(offer->endpoint.port, 0);
    EXPECT_EQ(offer->endpoint.queue_pair.number, 18u);
    EXPECT_TRUE(initiator->Send({.kind = PeerMessageKind::kJoin, .endpoint = {.queue_pair = end}}).ok());
  }
  EXPECT_EQ(fabric.Registered(), 0u);
  return result;
}

TEST(PlainConnection, RespondersRefuseAQueuePairThatCannotBe) {
  const TransferResult result = ResponderThatHears({"::ffff:10.0.0.1", 1 << 24, 0, 4096, 8});
  EXPECT_EQ(result.failure.kind, FailureKind::kSetup);
  EXPECT_THAT(result.failure.detail, HasSubstr("number 16777216"));
}

TEST(PlainConnection, RespondersConnectOnlyWhereTheyMay) {
  RunOptions options = Plain(ImpatientOptions());
  std::string asked;
  options.may_connect = [&](const std::string& address) {
    asked = address;
    return MakeFailure(FailureKind::kSetup, "not there");
  };
  const TransferResult result = ResponderThatHears({"::ffff:192.0.2.9", 17, 0, 4096, 8}, options);
  EXPECT_EQ(asked, "192.0.2.9");
  EXPECT_EQ(result.failure.detail, "not there");
}

TEST(PlainConnection, EndsWhereTheInitiatorNeverJoins) {
  MemoryFabric fabric;
  auto [responder, initiator] = MakeLocalChannel();
  MemoryLink link(fabric, Role::kResponder);
  TransferResult result;
  {
    const std::jthread other([&, &channel = responder] {
      result = RunResponder(SmallCase(Operation::kWrite), link, *channel, Plain(ImpatientOptions()));
    });
    EXPECT_TRUE(initiator->Receive(Soon()).ok());
    initiator.reset();
  }
  EXPECT_EQ(result.failure.kind, FailureKind::kPeerGone);
}

}  // namespace
}  // namespace rdmaready
