// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/stress_hosts.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/base/version.h"
#include "rdmaready/v1/agent.grpc.pb.h"

namespace rdmaready {
namespace {

using std::chrono::steady_clock;

void AwaitTrue(const std::atomic<bool>& word) {
  const steady_clock::time_point until = steady_clock::now() + std::chrono::seconds(60);
  while (!word && steady_clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// A responder is ready at once. An initiator begins, and gives its result when `may_end` is true.
class PlayedAgent final : public v1::Agent::Service {
 public:
  explicit PlayedAgent(const std::atomic<bool>& may_end) : may_end_(may_end) {
    grpc::ServerBuilder builder;
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~PlayedAgent() override { server_->Shutdown(std::chrono::system_clock::now()); }

  HostClient Client(const std::string& name) {
    HostClient host{.name = name};
    host.remote = std::make_unique<AgentClient>(name, server_->InProcessChannel({}), ClientOptions{});
    host.agent = host.remote.get();
    return host;
  }

  grpc::Status GetVersion(grpc::ServerContext*, const v1::GetVersionRequest*,
                          v1::GetVersionResponse* response) override {
    response->set_api_revision(kApiRevision);
    response->set_version("1.0");
    response->set_stress(true);
    return grpc::Status::OK;
  }
  grpc::Status TestPeer(grpc::ServerContext*,
                        grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>* stream) override {
    v1::PeerTestRequest request;
    if (!stream->Read(&request)) return grpc::Status::OK;
    v1::TransferEvent event;
    if (request.start().role() == v1::PeerTestRequest::Start::ROLE_RESPONDER) {
      event.mutable_peer()->set_kind(v1::PeerMessage::KIND_READY);
      stream->Write(event);
    } else if (stream->Read(&request)) {
      AwaitTrue(may_end_);
      event.mutable_result()->mutable_result()->set_case_name("write-4k");
      stream->Write(event);
    }
    while (stream->Read(&request)) continue;
    return grpc::Status::OK;
  }

 private:
  const std::atomic<bool>& may_end_;
  std::unique_ptr<grpc::Server> server_;
};

class StressHostsTest : public testing::Test {
 protected:
  StressHostsTest() {
    hosts_.push_back(initiator_.Client("a"));
    hosts_.push_back(responder_.Client("b"));
    pair_.job.from = 0;
    pair_.job.to = 1;
  }
  absl::StatusOr<std::vector<StressFlow>> Together(const StressHosts::Besides& beside) {
    const StressTransfer part{&pair_, "write-4k", {.qps = 1, .stress = true}};
    return StressHosts(hosts_, "run-7", {}).Together({part}, beside);
  }

  std::atomic<bool> may_end = false;

 private:
  PlayedAgent initiator_{may_end};
  PlayedAgent responder_{may_end};
  StressPair pair_{};
  std::vector<HostClient> hosts_{};
};

TEST_F(StressHostsTest, TellsTheOneBesideThatATransferIsOver) {
  bool was_over = true;
  bool is_over_then = false;
  const absl::StatusOr<std::vector<StressFlow>> flows = Together([&](const std::atomic<bool>& is_over) {
    was_over = is_over;
    may_end = true;
    AwaitTrue(is_over);
    is_over_then = is_over;
  });
  ASSERT_TRUE(flows.ok()) << flows.status();
  EXPECT_FALSE(was_over) << "the initiator still runs";
  EXPECT_TRUE(is_over_then);
}

}  // namespace
}  // namespace rdmaready
