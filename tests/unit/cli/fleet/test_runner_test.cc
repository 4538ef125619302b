// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/test_runner.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "api/convert/facts.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

class FactsAgent final : public v1::Agent::Service {
 public:
  explicit FactsAgent(Facts facts) : facts_(std::move(facts)) {
    grpc::ServerBuilder builder;
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~FactsAgent() override { server_->Shutdown(std::chrono::system_clock::now()); }

  HostClient Client(const std::string& name) {
    HostClient host{.name = name};
    host.remote = std::make_unique<AgentClient>(name, server_->InProcessChannel({}), ClientOptions{});
    host.agent = host.remote.get();
    return host;
  }

  grpc::Status GetFacts(grpc::ServerContext*, const v1::GetFactsRequest*,
                        v1::GetFactsResponse* response) override {
    *response->mutable_facts() = ToProto(facts_);
    return grpc::Status::OK;
  }

 private:
  Facts facts_;
  std::unique_ptr<grpc::Server> server_;
};

Facts At(const std::string& address) {
  return WithNetdev([&](Netdev& netdev) { netdev.addresses = std::vector<IpAddress>{{address, 24}}; });
}

TestRunner::Snapshot PeerWith(const Facts& b, const std::vector<PortSelection>& ports = {}) {
  FactsAgent a_agent(At("10.0.0.1"));
  FactsAgent b_agent(b);
  std::vector<HostClient> hosts;
  hosts.push_back(a_agent.Client("a"));
  hosts.push_back(b_agent.Client("b"));
  TestRunner test({});
  test.Peer(hosts, ports, {}, {});
  return test.Now();
}

TEST(TestRunner, FailsWhereThereIsKnownToBeNoPath) {
  const TestRunner::Snapshot now = PeerWith(At("10.0.0.1"));
  EXPECT_EQ(now.failure, ExitStatus::kNotReady);
  EXPECT_THAT(now.run.error, ::testing::HasSubstr("duplicate address"));
  const TestRunner::Snapshot none =
      PeerWith(WithNetdev([](Netdev& netdev) { netdev.addresses = std::vector<IpAddress>{}; }));
  EXPECT_EQ(none.failure, ExitStatus::kNotReady);
  EXPECT_THAT(none.run.error, ::testing::HasSubstr("no common subnet"));
}

TEST(TestRunner, DoesNotTakeWhatIsNotKnownForANo) {
  Facts no_ports = GoodHost();
  no_ports.ports = Denied();
  const Facts no_addresses = WithNetdev([](Netdev& netdev) { netdev.addresses = Denied(); });
  const Facts no_transport = WithPort([](Port& port) {
    port = At("10.0.0.2").ports->front();
    port.transport = Missing{};
  });
  const std::vector<PortSelection> named{{.device = "rxe0", .number = 1}};
  for (const Facts& facts : {no_ports, no_addresses, no_transport}) {
    for (const std::vector<PortSelection>& ports : {std::vector<PortSelection>{}, named}) {
      const TestRunner::Snapshot now = PeerWith(facts, ports);
      EXPECT_EQ(now.failure, ExitStatus::kOwnFailure) << now.run.error;
      EXPECT_THAT(now.run.error, ::testing::HasSubstr("known"));
    }
  }
}

}  // namespace
}  // namespace rdmaready
