// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/test_runner.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "api/convert/facts.h"
#include "api/convert/records.h"
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

  // Every connection fails.
  grpc::Status TestPeer(grpc::ServerContext*,
                        grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>* stream) override {
    v1::PeerTestRequest first;
    if (!stream->Read(&first)) return {grpc::StatusCode::INVALID_ARGUMENT, "no start"};
    v1::TransferEvent event;
    *event.mutable_result()->mutable_result() = ToProto(TransferResult{
        .case_name = first.start().case_name(), .failure = {FailureKind::kUnreachable, "no answer in time"}});
    stream->Write(event);
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

Facts DroppingRoce(Facts host) {
  host.firewall = Firewall{.chains = {{.family = "inet", .table = "t", .name = "input", .input_hook = true}},
                           .packets = {{.netdev = "dcb0",
                                        .protocol = 17,
                                        .port = 4791,
                                        .fate = PacketFate::kDropped,
                                        .chain = "inet t input",
                                        .place = "rule 4 of inet t input"}}};
  return host;
}

TEST(TestRunner, EndsAtTheFirstCaseThatCannotConnectAndNamesTheCause) {
  const TestRunner::Snapshot now = PeerWith(DroppingRoce(At("10.0.0.2")));
  ASSERT_GT(now.run.rows.size(), 1U);
  const Finding& first = now.run.rows.front().findings.front();
  EXPECT_EQ(first.outcome, Outcome::kFail);
  EXPECT_THAT(first.observed, ::testing::HasSubstr("ip.firewall on b: UDP 4791 (RoCE) on dcb0 is dropped"));
  EXPECT_THAT(first.fix, ::testing::HasSubstr("nft "));
  EXPECT_THAT(first.remedy->cautions, ::testing::Contains("run it on b"));
  for (std::size_t i = 1; i < now.run.rows.size(); ++i) {
    EXPECT_EQ(now.run.rows[i].findings.front().hidden_by, first.id) << now.run.rows[i].result.case_name;
  }
}

}  // namespace
}  // namespace rdmaready
