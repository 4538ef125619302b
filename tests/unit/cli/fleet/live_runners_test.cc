// SPDX-License-Identifier: Apache-2.0
// The transfers that `compare` and `test --all-paths` ask two agents for.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "api/base/version.h"
#include "api/convert/facts.h"
#include "cli/fleet/compare_runner.h"
#include "cli/fleet/paths_runner.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Start = v1::PeerTestRequest::Start;

Port PortWith(const std::string& device, const std::string& netdev, const std::string& address) {
  Port port = *GoodHost().ports->begin();
  port.device = device;
  Netdev named = *port.netdev;
  named.name = netdev;
  named.addresses = std::vector<IpAddress>{{.address = address, .prefix_length = 24}};
  port.netdev = named;
  return port;
}

// It keeps what it is asked for as an initiator. Each test ends at once.
class AskedAgent final : public v1::Agent::Service {
 public:
  explicit AskedAgent(std::vector<Port> ports) {
    facts_.ports = std::move(ports);
    grpc::ServerBuilder builder;
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~AskedAgent() override { server_->Shutdown(std::chrono::system_clock::now()); }

  HostClient Client(const std::string& name) {
    HostClient host{.name = name};
    host.remote = std::make_unique<AgentClient>(name, server_->InProcessChannel({}), ClientOptions{});
    host.agent = host.remote.get();
    return host;
  }

  std::vector<Start> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::vector<std::string> devices() {
    std::vector<std::string> names;
    for (const Start& start : asked()) names.push_back(start.port().device());
    return names;
  }

  grpc::Status GetVersion(grpc::ServerContext*, const v1::GetVersionRequest*,
                          v1::GetVersionResponse* response) override {
    response->set_api_revision(kApiRevision);
    response->set_version("1.0");
    response->set_tcp_tests(tcp_tests);
    return grpc::Status::OK;
  }
  grpc::Status GetFacts(grpc::ServerContext*, const v1::GetFactsRequest*,
                        v1::GetFactsResponse* response) override {
    *response->mutable_facts() = ToProto(facts_);
    return grpc::Status::OK;
  }
  grpc::Status TestPeer(grpc::ServerContext*,
                        grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>* stream) override {
    v1::PeerTestRequest request;
    if (!stream->Read(&request)) return grpc::Status::OK;
    v1::TransferEvent event;
    if (request.start().role() == Start::ROLE_RESPONDER) {
      event.mutable_peer()->set_kind(v1::PeerMessage::KIND_READY);
      stream->Write(event);
    } else {
      {
        const std::lock_guard lock(mutex_);
        asked_.push_back(request.start());
      }
      stream->Read(&request);
      event.mutable_result()->mutable_result()->set_case_name(request.start().case_name());
      stream->Write(event);
    }
    while (stream->Read(&request)) continue;
    return grpc::Status::OK;
  }

  bool tcp_tests = true;

 private:
  Facts facts_{};
  std::mutex mutex_;
  std::vector<Start> asked_{};  // guarded by mutex_
  std::unique_ptr<grpc::Server> server_;
};

class LiveRunners : public testing::Test {
 protected:
  std::vector<HostClient> Hosts() {
    std::vector<HostClient> hosts;
    hosts.push_back(a.Client("a"));
    hosts.push_back(b.Client("b"));
    return hosts;
  }

  AskedAgent a{{PortWith("rxe0", "eth0", "10.0.0.1"), PortWith("rxe1", "eth1", "10.0.1.1")}};
  AskedAgent b{{PortWith("rxe0", "eth0", "10.0.0.2"), PortWith("rxe1", "eth1", "10.0.1.2"),
                PortWith("rxe2", "eth2", "10.0.2.2")}};
  const Profile profile{};
};

TEST_F(LiveRunners, CompareAsksForRdmaTcpTcpRdmaInEachRound) {
  const std::vector<HostClient> hosts = Hosts();
  CompareRunner runner(hosts, profile, "run-1", {});
  const ComparePlan plan{.cases = {"write-8k"}, .rounds = 2};
  ASSERT_TRUE(runner.Prepare(plan).ok());
  const absl::StatusOr<CompareRun> run = runner.Run(plan);
  ASSERT_TRUE(run.ok()) << run.status();
  std::vector<bool> tcp;
  for (const Start& start : a.asked()) {
    tcp.push_back(start.options().over_tcp());
    EXPECT_TRUE(start.options().measure_cpu());
    EXPECT_EQ(start.case_name(), "write-8k");
  }
  EXPECT_THAT(tcp, ElementsAre(false, true, true, false, false, true, true, false));
  EXPECT_EQ(run->cases.at(0).rdma.size(), 4U);
  EXPECT_EQ(run->cases.at(0).tcp.size(), 4U);
}

TEST_F(LiveRunners, CompareRefusesAnAgentWithoutTestsOverTcp) {
  b.tcp_tests = false;
  const std::vector<HostClient> hosts = Hosts();
  CompareRunner runner(hosts, profile, "run-1", {});
  const absl::Status prepared = runner.Prepare({.cases = {"write-8k"}});
  EXPECT_TRUE(absl::IsFailedPrecondition(prepared)) << prepared;
  EXPECT_THAT(prepared.message(), HasSubstr("host b: its agent (1.0) has no tests over TCP"));
  EXPECT_THAT(a.asked(), IsEmpty());
}

TEST_F(LiveRunners, AllPathsAskForEachAloneThenForAllAndForEachAloneAgain) {
  b.tcp_tests = false;  // an older agent will do
  const std::vector<HostClient> hosts = Hosts();
  PathsRunner runner(hosts, profile, "run-1", {});
  const PathsPlan plan{.case_name = "write-8k"};
  ASSERT_TRUE(runner.Prepare(plan).ok());
  EXPECT_THAT(a.asked(), IsEmpty());
  const absl::StatusOr<PathsRun> run = runner.Run(plan);
  ASSERT_TRUE(run.ok()) << run.status();
  const std::vector<std::string> devices = a.devices();
  ASSERT_EQ(devices.size(), 6U);
  const auto part = [&devices](std::size_t begin) {
    return std::vector<std::string>{devices[begin], devices[begin + 1]};
  };
  EXPECT_THAT(part(0), ElementsAre("rxe0", "rxe1"));
  EXPECT_THAT(part(2), UnorderedElementsAre("rxe0", "rxe1"));
  EXPECT_THAT(part(4), ElementsAre("rxe0", "rxe1"));
  EXPECT_EQ(run->paths.at(1).subject, "rxe1/1 -> rxe1/1");
  ASSERT_EQ(run->without.size(), 1U);
  EXPECT_EQ(run->without[0].host, "b");
  EXPECT_EQ(run->without[0].port, "rxe2/1");
  EXPECT_THAT(run->without[0].why, HasSubstr("subnet"));
}

TEST_F(LiveRunners, AllPathsLeaveOutAPortThatIsDown) {
  Port down = PortWith("rxe1", "eth1", "10.0.1.2");
  down.state = PortState::kDown;
  AskedAgent half({PortWith("rxe0", "eth0", "10.0.0.2"), down});
  std::vector<HostClient> hosts = Hosts();
  hosts[1] = half.Client("half");
  PathsRunner runner(hosts, profile, "run-1", {});
  const PathsPlan plan{.case_name = "write-8k"};
  ASSERT_TRUE(runner.Prepare(plan).ok());
  const absl::StatusOr<PathsRun> run = runner.Run(plan);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->paths.size(), 1U);
  EXPECT_EQ(a.asked().size(), 3U);
  ASSERT_EQ(run->without.size(), 2U);
  EXPECT_EQ(run->without[0].port, "rxe1/1");
  EXPECT_EQ(run->without[0].host, "half");
  EXPECT_EQ(run->without[0].why, "it is not active");
  EXPECT_EQ(run->without[1].host, "a");
}

TEST_F(LiveRunners, AllPathsRefuseAHostWithoutAnActivePort) {
  Port down = PortWith("rxe0", "eth0", "10.0.0.2");
  down.state = PortState::kDown;
  AskedAgent dark({down});
  std::vector<HostClient> hosts = Hosts();
  hosts[1] = dark.Client("dark");
  PathsRunner runner(hosts, profile, "run-1", {});
  EXPECT_EQ(runner.Prepare({.case_name = "write-8k"}),
            absl::FailedPreconditionError("no RDMA port of dark is active"));
  EXPECT_THAT(a.asked(), IsEmpty());
}

}  // namespace
}  // namespace rdmaready
