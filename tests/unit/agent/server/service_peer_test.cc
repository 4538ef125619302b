// SPDX-License-Identifier: Apache-2.0
// Two agents, one live test: through the relay of a caller, and when one of them is busy, silent or gone.
#include <chrono>
#include <filesystem>
#include <thread>

#include "agent/port/port_lock.h"
#include "agent/port/priority_packets.h"
#include "api/convert/records.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// So that an end which waits for what does not come waits for longer than that.
constexpr std::chrono::milliseconds kLongTest(40'000);

TEST_F(ServiceTest, ASecondTestIsToldWhoHoldsThePort) {
  ServedAgent agent(BothEnds(), locks_);
  const absl::StatusOr<PortLock> held = PortLock::Take(OnlyPort(), "root@storage1", locks_);
  const absl::Status status = agent.Client("a")->TestLoopback({}, {"send-1k"}, "me", "", {}, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("root@storage1"));
}

TEST_F(ServiceTest, TwoAgentsMoveBytesThroughTheRelayAndBothKeepTheResult) {
  ServedAgent a(OneEnd(Role::kInitiator), locks_ + "/");
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent b(OneEnd(Role::kResponder), locks_ + "/b");
  const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), Send1k());
  EXPECT_TRUE(answer.from_status.ok()) << answer.from_status;
  EXPECT_TRUE(answer.to_status.ok()) << answer.to_status;
  EXPECT_EQ(answer.result.failure.kind, FailureKind::kNone) << answer.result.failure.detail;
  EXPECT_GT(answer.result.messages, 0u);
  EXPECT_EQ(answer.result.bytes_wrong, 0u);
  ASSERT_THAT(a.store.transfers, SizeIs(1));
  ASSERT_THAT(b.store.transfers, SizeIs(1));
  for (const auto* transfers : {&a.store.transfers, &b.store.transfers}) {
    EXPECT_TRUE(transfers->front().result.tester_cpu);
    EXPECT_TRUE(transfers->front().result.tester_numa_node);
  }
  TransferResult of_b = b.store.transfers.front().result;
  of_b.tester_cpu = a.store.transfers.front().result.tester_cpu;  // each end's own
  of_b.tester_numa_node = a.store.transfers.front().result.tester_numa_node;
  EXPECT_TRUE(of_b.counted_ns);
  of_b.counted_ns = a.store.transfers.front().result.counted_ns;
  EXPECT_EQ(a.store.transfers.front().result, of_b);
  EXPECT_EQ(a.store.transfers.front().role, "initiator");
  EXPECT_EQ(b.store.transfers.front().role, "responder");
  EXPECT_EQ(b.store.transfers.front().peer, "a");
  EXPECT_EQ(b.store.transfers.front().run_id, "run-7");
}

TEST_F(ServiceTest, ATestBeginsWhenAllItsQueuePairsAreConnectedAndTheCallerLetsIt) {
  for (const bool lets : {true, false}) {
    std::array<MemoryFabric, 3> fabrics;
    const LinkMaker ends = [&](Role role, std::uint32_t number) {
      return std::make_unique<MemoryLink>(fabrics.at(number), role);
    };
    ServedAgent a(ends, locks_ + "/");
    std::filesystem::create_directories(locks_ + "/b");
    ServedAgent b(ends, locks_ + "/b");
    PeerTest test = Send1k();
    test.case_name = "write-8k";
    test.options = {.qps = 3, .depth = 8, .max_bytes = 1 << 20};
    int asked = 0;
    test.at_start = [&] {
      ++asked;
      for (MemoryFabric& fabric : fabrics) {
        EXPECT_EQ(fabric.Posted(Role::kInitiator, Work::kWrite), 0U);
        const std::lock_guard lock(fabric.mutex);
        EXPECT_EQ(fabric.answer, true);
      }
      return lets;
    };
    const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), test);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(answer.result.bytes, lets ? 3U << 20 : 0U);
    EXPECT_EQ(answer.result.failure.kind == FailureKind::kNone, lets) << answer.result.failure.detail;
  }
}

TEST_F(ServiceTest, NothingIsSentWhereAnAgentTakesNoPartInStressTests) {
  ServedAgent a(OneEnd(Role::kInitiator), locks_ + "/");
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent b(OneEnd(Role::kResponder), locks_ + "/b");
  for (const TransferOptions& options :
       {TransferOptions{.stress = true}, TransferOptions{.max_bytes_per_s = 1000}}) {
    PeerTest test = Send1k();
    test.options = options;
    const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), test);
    EXPECT_EQ(answer.from_status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(answer.result.failure.detail, HasSubstr("takes no part in stress tests"));
    EXPECT_THAT(a.store.transfers, SizeIs(0));
  }
}

TEST_F(ServiceTest, SeveralQueuePairsInBothDirectionsAreKeptAsATestEachWay) {
  std::array<MemoryFabric, 4> fabrics;
  const LinkMaker ends = [&](Role role, std::uint32_t number) {
    return std::make_unique<MemoryLink>(fabrics.at(number), role);
  };
  ServedAgent a(ends, locks_ + "/");
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent b(ends, locks_ + "/b");
  PeerTest test = Send1k();
  test.case_name = "write-8k";
  test.options = {.busy_poll = true,
                  .verify = false,
                  .bidirectional = true,
                  .qps = 2,
                  .depth = 8,
                  .duration = std::chrono::milliseconds(300),
                  .max_bytes = 1 << 20};
  const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), test);
  ASSERT_TRUE(answer.reverse);
  for (const TransferResult* result : {&answer.result, &*answer.reverse}) {
    EXPECT_EQ(result->failure, Failure{});
    EXPECT_EQ(result->bytes, 2u << 20);
    EXPECT_EQ(result->bytes_verified, 0u);
    EXPECT_EQ(result->qps, 2u);
    EXPECT_EQ(result->depth, 8u);
    EXPECT_TRUE(result->busy_poll && result->bidirectional);
    EXPECT_TRUE(result->unverified);
  }
  ASSERT_THAT(a.store.transfers, SizeIs(2));
  ASSERT_THAT(b.store.transfers, SizeIs(2));
  EXPECT_EQ(a.store.transfers[0].role, "initiator");
  TransferResult kept = answer.result;
  DropUnchanged(kept.nic_counters);
  EXPECT_EQ(a.store.transfers[0].result, kept);
  EXPECT_EQ(a.store.transfers[1].role, "responder");
  EXPECT_EQ(a.store.transfers[1].result, *answer.reverse);
  EXPECT_EQ(b.store.transfers[0].role, "responder");
  EXPECT_EQ(b.store.transfers[1].role, "initiator");
}

TEST_F(ServiceTest, EachEndHoldsTheLimitsByItself) {
  ServedAgent a(OneEnd(Role::kInitiator), locks_);
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent b(OneEnd(Role::kResponder), locks_ + "/b");
  PeerTest test = Send1k();
  for (const TransferOptions& absurd : {TransferOptions{.qps = 1'000'000}, TransferOptions{.depth = 1'000'000},
                                        TransferOptions{.duration = std::chrono::hours(1)}}) {
    test.options = absurd;
    const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), test);
    EXPECT_EQ(answer.from_status.code(), absl::StatusCode::kInvalidArgument) << answer.from_status;
    EXPECT_EQ(answer.to_status.code(), absl::StatusCode::kInvalidArgument) << answer.to_status;
  }
  EXPECT_EQ(a.Client("a")->TestLoopback({}, {"send-1k"}, "", "", {}, {}, {.qps = 99}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(between_.Posted(Role::kInitiator, Work::kSend), 0u);
}

TEST_F(ServiceTest, TrafficIsMarkedAsTheCallerSaysElseTheProfileElseTheSystem) {
  ServedAgent agent(BothEnds(), locks_);
  const auto marked = [&](const TransferOptions& options) {
    EXPECT_TRUE(agent.Client("a")->TestLoopback({}, {"send-1k"}, "", "", {}, {}, options).ok());
    return agent.store.transfers.back().result.marking.tos;
  };
  EXPECT_EQ(marked({}), agent.agent().config().default_profiles.front().tos);
  EXPECT_NE(marked({}), std::nullopt) << "the profile of these tests names one";
  EXPECT_EQ(marked({.tos = 8}), 8);
  EXPECT_EQ(marked({.tos = 0}), 0);
  EXPECT_EQ(marked({.system_tos = true}), std::nullopt);
}

TEST_F(ServiceTest, ABusyPeerIsNamedAndTheOtherEndDoesNotWaitForIt) {
  ServedAgent a = Unbounded(OneEnd(Role::kInitiator), locks_);
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent b = Unbounded(OneEnd(Role::kResponder), locks_ + "/b");
  const absl::StatusOr<PortLock> held = PortLock::Take(OnlyPort(), "somebody", locks_ + "/b");
  PeerTest test = Send1k();
  test.options.duration = kLongTest;
  const auto started = std::chrono::steady_clock::now();
  const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), test);
  EXPECT_EQ(answer.to_status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(answer.to_status.message()), HasSubstr("somebody"));
  EXPECT_TRUE(IsPortBusy(answer.to_status));
  EXPECT_FALSE(IsPortBusy(absl::ResourceExhaustedError("host b: 16 calls at a time for one caller")));
  EXPECT_NE(answer.result.failure.kind, FailureKind::kNone);
  EXPECT_LT(std::chrono::steady_clock::now() - started, kLongTest);
}

TEST_F(ServiceTest, AnAgentThatDiesInMidTransferIsTheCauseAndTheOtherEndEndsSoon) {
  ServedAgent a = Unbounded(OneEnd(Role::kInitiator), locks_);
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent b = Unbounded(OneEnd(Role::kResponder), locks_ + "/b");
  std::jthread killer([&] {
    while (between_.Posted(Role::kInitiator, Work::kSend) < 10) std::this_thread::yield();
    b.Kill();
  });
  PeerTest test = Send1k();
  test.options.duration = kLongTest;
  const auto started = std::chrono::steady_clock::now();
  const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), test);
  EXPECT_FALSE(answer.to_status.ok());
  EXPECT_NE(answer.result.failure.kind, FailureKind::kNone);
  EXPECT_NE(answer.result.failure.kind, FailureKind::kStalled) << "it did not wait until nothing came";
  EXPECT_LT(std::chrono::steady_clock::now() - started, kLongTest);
}

TEST_F(ServiceTest, APeerTestOfNoPortIsRefused) {
  ServedAgent responder(OneEnd(Role::kResponder), locks_);
  ServedAgent initiator(OneEnd(Role::kInitiator), locks_);
  PeerTest nameless = Send1k();
  nameless.to_port = {};
  const PeerAnswer answer = RunPeerTest(*initiator.Client("a"), *responder.Client("b"), nameless);
  EXPECT_EQ(answer.to_status.code(), absl::StatusCode::kNotFound) << answer.to_status;
}

TEST_F(ServiceTest, APeerStreamThatDoesNotBeginWithAStartOfARoleIsRefused) {
  ServedAgent agent(OneEnd(Role::kResponder), locks_);
  const auto stub = v1::Agent::NewStub(agent.Channel());
  v1::PeerTestRequest message;
  message.mutable_peer()->set_case_name("send-1k");
  v1::PeerTestRequest no_role;
  no_role.mutable_start()->set_case_name("send-1k");
  for (const v1::PeerTestRequest& first : {message, no_role}) {
    grpc::ClientContext context;
    const auto stream = stub->TestPeer(&context);
    stream->Write(first);
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
}

TEST_F(ServiceTest, AnUnknownNumberInARelayedMessageIsRefused) {
  ServedAgent agent(OneEnd(Role::kResponder), locks_);
  v1::PeerTestRequest start;
  start.mutable_start()->set_role(v1::PeerTestRequest::Start::ROLE_RESPONDER);
  start.mutable_start()->set_case_name("send-1k");
  start.mutable_start()->mutable_port()->set_device("rxe0");
  start.mutable_start()->mutable_port()->set_number(1);
  v1::PeerTestRequest strange;
  *strange.mutable_peer() = ToProto(PeerMessage{.kind = PeerMessageKind::kResult});
  strange.mutable_peer()->mutable_result()->set_operation(static_cast<v1::Operation>(77));
  const auto stub = v1::Agent::NewStub(agent.Channel());
  grpc::ClientContext context;
  const auto stream = stub->TestPeer(&context);
  stream->Write(start);
  stream->Write(strange);
  for (v1::TransferEvent event; stream->Read(&event);) EXPECT_FALSE(event.has_result());
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("operation: 77 is no value of Operation"));
}

TEST_F(ServiceTest, APeerTestWhoseOtherEndNeverSpeaksHoldsThePortNotForEver) {
  ServedAgent agent(OneEnd(Role::kResponder), locks_, {.peer_test = std::chrono::milliseconds(300)});
  const auto stub = v1::Agent::NewStub(agent.Channel());
  grpc::ClientContext context;
  const auto stream = stub->TestPeer(&context);
  v1::PeerTestRequest request;
  request.mutable_start()->set_role(v1::PeerTestRequest::Start::ROLE_RESPONDER);
  request.mutable_start()->set_case_name("send-1k");
  request.mutable_start()->mutable_port()->set_device("rxe0");
  request.mutable_start()->mutable_port()->set_number(1);
  request.mutable_start()->mutable_options()->set_duration_ms(static_cast<std::uint32_t>(kLongTest.count()));
  const auto started = std::chrono::steady_clock::now();
  stream->Write(request);
  for (v1::TransferEvent event; stream->Read(&event);) {
  }
  EXPECT_FALSE(stream->Finish().ok());
  EXPECT_LT(std::chrono::steady_clock::now() - started, kLongTest);
  agent.Kill();
  EXPECT_TRUE(PortLock::Take(OnlyPort(), "the next one", locks_).ok());
}

}  // namespace
}  // namespace rdmaready
