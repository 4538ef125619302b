// SPDX-License-Identifier: Apache-2.0
// The engine of the live tests over TCP: the same as over RDMA, and it knows nothing of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>

#include "agent/link/buffer.h"
#include "agent/link/failure.h"
#include "agent/tcp/tcp_link.h"
#include "agent/transfer/data.h"
#include "agent/transfer/lane.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

RunOptions OverTcp(std::uint64_t messages = kMessages) {
  RunOptions options = QuickOptions(messages);
  options.local_address = "127.0.0.1";
  return options;
}

BothEnds RunBothOverTcp(const TransferCase& test, const RunOptions& options) {
  ChannelPair channel = MakeLocalChannel();
  TcpLink responder;
  TcpLink initiator;
  BothEnds both;
  {
    const std::jthread other([&] { both.responder = RunResponder(test, responder, *channel.first, options); });
    both.initiator = RunInitiator(test, initiator, *channel.second, options);
  }
  return both;
}

// `responder` plays that end by hand, as in rig.h.
TransferResult RunTcpInitiatorAgainst(const TransferCase& test, const RunOptions& options,
                                      const std::function<void(TcpLink& link, PeerChannel& peer)>& responder) {
  ChannelPair channel = MakeLocalChannel();
  TcpLink initiator;
  const std::jthread other([&] {
    TcpLink theirs;
    responder(theirs, *channel.first);
    channel.first.reset();
  });
  return RunInitiator(test, initiator, *channel.second, options);
}

// Up to the point where the responder's memory is due. `nonce` is what the responder waits for.
absl::Status AdmitOverTcp(TcpLink& link, PeerChannel& peer, const TransferCase& test, const Nonce& offered,
                          const Nonce& awaited) {
  const absl::StatusOr<Endpoint> endpoint = link.Listen("127.0.0.1", SettingsOf(Role::kResponder, test, {}));
  if (!endpoint.ok()) return endpoint.status();
  const absl::Status sent = peer.Send({.kind = PeerMessageKind::kOffer,
                                       .case_name = std::string(test.name),
                                       .message_bytes = test.message_bytes,
                                       .depth = test.depth,
                                       .endpoint = *endpoint,
                                       .nonce = offered});
  if (!sent.ok()) return sent;
  // A word of the initiator ends it: it was rejected.
  const auto interrupted = [&peer] {
    return peer.Poll() == PeerState::kMessage ? MakeFailure(FailureKind::kCancelled, "it gave up")
                                              : absl::OkStatus();
  };
  return link.Accept(awaited, {.deadline = Soon(), .interrupted = interrupted});
}

class EveryOperationOverTcp : public testing::TestWithParam<Operation> {};

INSTANTIATE_TEST_SUITE_P(Engine, EveryOperationOverTcp,
                         testing::Values(Operation::kSend, Operation::kWrite, Operation::kRead));

TEST_P(EveryOperationOverTcp, MovesAndVerifiesEveryByte) {
  const BothEnds both = RunBothOverTcp(SmallCase(GetParam()), OverTcp());
  const TransferResult& result = both.initiator;
  EXPECT_EQ(result.failure, Failure{}) << result.failure.detail;
  EXPECT_EQ(result.messages, GetParam() == Operation::kSend ? 2 * kMessages : kMessages);
  EXPECT_EQ(result.bytes_verified, result.bytes);
  EXPECT_EQ(result.bytes_wrong, 0U);
  EXPECT_EQ(result.transport, "tcp");
  EXPECT_GT(result.throughput_bytes_per_s, 0U);
  EXPECT_EQ(both.responder.failure, Failure{});
  EXPECT_EQ(both.responder.bytes, result.bytes);
}

TEST_P(EveryOperationOverTcp, MovesBytesThatNobodyLooksAt) {
  RunOptions options = OverTcp();
  options.verify = false;
  const TransferResult result = RunBothOverTcp(SmallCase(GetParam()), options).initiator;
  EXPECT_EQ(result.failure, Failure{}) << result.failure.detail;
  EXPECT_GT(result.bytes, 0U);
  EXPECT_EQ(result.bytes_verified, 0U);
}

TEST_P(EveryOperationOverTcp, MovesLargeMessagesThatDoNotFitTheSocket) {
  TransferCase test = SmallCase(GetParam());
  test.message_bytes = 512 << 10;
  test.depth = GetParam() == Operation::kSend ? 1 : 16;
  RunOptions options = OverTcp();
  options.max_bytes = 64ULL << 20;
  const TransferResult result = RunBothOverTcp(test, options).initiator;
  EXPECT_EQ(result.failure, Failure{}) << result.failure.detail;
  EXPECT_EQ(result.bytes_verified, result.bytes);
}

TEST_P(EveryOperationOverTcp, MovesBothWaysOnSeveralConnections) {
  RunOptions options = OverTcp();
  options.qps = 3;
  options.bidirectional = true;
  const LinkMaker make = [](Role, std::uint32_t) { return std::make_unique<TcpLink>(); };
  const BothWays both = RunLoopback(SmallCase(GetParam()), make, options);
  ASSERT_TRUE(both.reverse);
  for (const TransferResult* result : {&both.forward, &*both.reverse}) {
    EXPECT_EQ(result->failure, Failure{}) << result->failure.detail;
    EXPECT_EQ(result->qps, 3U);
    EXPECT_EQ(result->bytes_verified, result->bytes);
  }
}

TEST(EngineOverTcp, IsRejectedWithAnotherNonce) {
  const TransferCase test = SmallCase(Operation::kWrite);
  const TransferResult result = RunTcpInitiatorAgainst(test, OverTcp(), [&](TcpLink& link, PeerChannel& peer) {
    EXPECT_EQ(FailureOf(AdmitOverTcp(link, peer, test, {1}, {2})).kind, FailureKind::kRejected);
    Next(peer);
  });
  EXPECT_EQ(result.failure.kind, FailureKind::kRejected) << result.failure.detail;
}

TEST(EngineOverTcp, EndsWhenTheResponderGoesAway) {
  const TransferCase test = SmallCase(Operation::kWrite);
  TransferResult result;
  const auto run = [&] {
    result = RunTcpInitiatorAgainst(test, OverTcp(), [&](TcpLink& link, PeerChannel& peer) {
      ASSERT_TRUE(AdmitOverTcp(link, peer, test, {1}, {1}).ok());
      const auto target = *Buffer::Make(link, test.message_bytes, SlotsOf(test), Access::kRemoteWrite);
      ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kReady, .memory = target->remote()}).ok());
      link.Disconnect();
      EXPECT_EQ(Next(peer).kind, PeerMessageKind::kDone);
    });
  };
  EXPECT_LT(TimeOf(run), kAtOnce);
  EXPECT_EQ(result.failure.kind, FailureKind::kDisconnected) << result.failure.detail;
}

TEST(EngineOverTcp, EndsWhenTheResponderGivesAForeignKey) {
  const TransferCase test = SmallCase(Operation::kWrite);
  const TransferResult result = RunTcpInitiatorAgainst(test, OverTcp(), [&](TcpLink& link, PeerChannel& peer) {
    ASSERT_TRUE(AdmitOverTcp(link, peer, test, {1}, {1}).ok());
    const RemoteMemory memory{
        .address = 4096, .length_bytes = std::uint64_t{test.message_bytes} * SlotsOf(test), .rkey = 99};
    ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kReady, .memory = memory}).ok());
    std::array<Completion, 1> completion;
    EXPECT_EQ(FailureOf(link.Wait(completion, Soon()).status()).kind, FailureKind::kDisconnected);
    Next(peer);
    ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kView}).ok());
  });
  EXPECT_EQ(result.failure.kind, FailureKind::kCompletion) << result.failure.detail;
  EXPECT_THAT(result.failure.detail, HasSubstr("remote access error"));
}

TEST(EngineOverTcp, StallsWhereTheResponderTakesNothing) {
  const TransferCase test = SmallCase(Operation::kWrite);
  RunOptions options = ImpatientOptions();
  options.local_address = "127.0.0.1";
  const TransferResult result = RunTcpInitiatorAgainst(test, options, [&](TcpLink& link, PeerChannel& peer) {
    ASSERT_TRUE(AdmitOverTcp(link, peer, test, {1}, {1}).ok());
    const auto target = *Buffer::Make(link, test.message_bytes, SlotsOf(test), Access::kRemoteWrite);
    ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kReady, .memory = target->remote()}).ok());
    Next(peer);
  });
  EXPECT_EQ(result.failure.kind, FailureKind::kStalled) << result.failure.detail;
}

}  // namespace
}  // namespace rdmaready
