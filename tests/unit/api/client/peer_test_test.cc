// SPDX-License-Identifier: Apache-2.0
// Tests that an older agent would make in another way are not asked for.
#include "api/client/peer_test.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <utility>

#include "api/base/version.h"
#include "api/client/agent_client.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

// An agent that takes part in stress tests, and counts the peer tests that it is asked for.
class StressingAgent final : public v1::Agent::Service {
 public:
  explicit StressingAgent(bool has_tcp, bool has_numbered = false)
      : has_tcp_(has_tcp), has_numbered_(has_numbered) {
    grpc::ServerBuilder builder;
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~StressingAgent() override { server_->Shutdown(); }

  grpc::Status GetVersion(grpc::ServerContext*, const v1::GetVersionRequest*,
                          v1::GetVersionResponse* response) override {
    response->set_api_revision(kApiRevision);
    response->set_version("1.0");
    response->set_stress(true);
    response->set_tcp_transfers(has_tcp_);
    response->set_tcp_tests(has_tcp_);
    response->set_numbered(has_numbered_);
    return grpc::Status::OK;
  }
  grpc::Status TestPeer(grpc::ServerContext*,
                        grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>*) override {
    ++tests;
    return {grpc::StatusCode::UNAVAILABLE, "gone"};
  }

  std::unique_ptr<AgentClient> Client(const std::string& name) {
    return std::make_unique<AgentClient>(name, server_->InProcessChannel({}), ClientOptions{});
  }

  std::atomic<int> tests = 0;

 private:
  const bool has_tcp_;
  const bool has_numbered_;
  std::unique_ptr<grpc::Server> server_;
};

TEST(PeerTest, HasNoNumberedWritesWhereAnAgentWouldMakeOthers) {
  for (const bool both : {false, true}) {
    StressingAgent newer(true, true);
    StressingAgent other(true, both);
    PeerTest test{.case_name = "write-8k"};
    test.options = {.numbered = true};
    const PeerAnswer answer = RunPeerTest(*newer.Client("a"), *other.Client("b"), test);
    EXPECT_EQ(newer.tests + other.tests, both ? 2 : 0);
    if (!both) {
      EXPECT_THAT(answer.result.failure.detail,
                  HasSubstr("host b: its agent (1.0) has no numbered writes: update it. Nothing was sent"));
    }
  }
}

TEST(PeerTest, IsNotMadeOverTcpWhereAnAgentWouldUseRdma) {
  for (const auto& [both, stress] :
       {std::pair(false, false), std::pair(false, true), std::pair(true, false), std::pair(true, true)}) {
    StressingAgent newer(true);
    StressingAgent other(both);
    PeerTest test{.case_name = "write-8k"};
    test.options = {.stress = stress, .over_tcp = true};
    const PeerAnswer answer = RunPeerTest(*newer.Client("a"), *other.Client("b"), test);
    EXPECT_EQ(newer.tests + other.tests, both ? 2 : 0);
    if (both) continue;
    EXPECT_EQ(answer.to_status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(answer.result.failure.detail, HasSubstr("host b: its agent (1.0) has no tests over TCP"));
  }
}

}  // namespace
}  // namespace rdmaready
