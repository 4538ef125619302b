// SPDX-License-Identifier: Apache-2.0
// Refusals of a test of PFC before it sends anything.
#include "cli/fleet/pfc_runner.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/convert/facts.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// An agent that has these facts, and counts what it is asked for.
class PfcAgent final : public v1::Agent::Service {
 public:
  explicit PfcAgent(const std::string& address) {
    facts = WithNetdev([&](Netdev& netdev) {
      netdev.addresses = std::vector<IpAddress>{{.address = address, .prefix_length = 24}};
    });
    grpc::ServerBuilder builder;
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~PfcAgent() override { server_->Shutdown(std::chrono::system_clock::now()); }

  HostClient Client(const std::string& name) {
    HostClient host{.name = name};
    host.remote = std::make_unique<AgentClient>(name, server_->InProcessChannel({}), ClientOptions{});
    host.agent = host.remote.get();
    return host;
  }

  void HaveDriver(const std::string& driver) {
    std::vector<Port> ports = *facts.ports;
    Netdev netdev = *ports[0].netdev;
    netdev.driver = driver;
    ports[0].netdev = netdev;
    facts.ports = ports;
  }

  grpc::Status GetVersion(grpc::ServerContext*, const v1::GetVersionRequest*,
                          v1::GetVersionResponse* response) override {
    response->set_api_revision(kApiRevision);
    response->set_version("1.0");
    response->set_stress(stress);
    return grpc::Status::OK;
  }
  grpc::Status GetFacts(grpc::ServerContext*, const v1::GetFactsRequest*,
                        v1::GetFactsResponse* response) override {
    *response->mutable_facts() = ToProto(facts);
    return grpc::Status::OK;
  }
  grpc::Status Check(grpc::ServerContext*, const v1::CheckRequest* request,
                     grpc::ServerWriter<v1::CheckEvent>* writer) override {
    ++checks;
    listened_s = request->watch_seconds();
    v1::CheckEvent event;
    event.mutable_done()->mutable_report()->set_agent_version("1.0");
    event.mutable_done()->set_findings(0);
    if (request->with_facts()) *event.mutable_done()->mutable_facts() = ToProto(facts);
    writer->Write(event);
    return grpc::Status::OK;
  }
  grpc::Status TestPeer(grpc::ServerContext*,
                        grpc::ServerReaderWriter<v1::TransferEvent, v1::PeerTestRequest>*) override {
    ++peer_tests;
    return {grpc::StatusCode::UNAVAILABLE, "gone"};
  }
  grpc::Status SendPauses(grpc::ServerContext*, const v1::SendPausesRequest*,
                          grpc::ServerWriter<v1::SendPausesEvent>*) override {
    ++pauses;
    return {grpc::StatusCode::UNAVAILABLE, "gone"};
  }

  Facts facts{};
  bool stress = true;
  std::atomic<int> checks = 0;
  std::atomic<int> peer_tests = 0;
  std::atomic<int> pauses = 0;
  std::atomic<unsigned> listened_s = 0;

 private:
  std::unique_ptr<grpc::Server> server_;
};

class PfcRunnerTest : public testing::Test {
 protected:
  PfcRunnerTest() {
    hosts_.push_back(a.Client("a"));
    hosts_.push_back(b.Client("b"));
    profile.direct_link = true;
  }
  ~PfcRunnerTest() override {
    for (const PfcAgent* const agent : {&a, &b}) EXPECT_EQ(agent->peer_tests + agent->pauses, 0);
  }
  absl::Status Prepared() {
    return PfcRunner(hosts_, profile, "run-7", {})
        .Prepare({.case_name = "write-4k", .priority = 3, .listen = std::chrono::seconds(2)});
  }

  PfcAgent a{"10.0.0.1"};  // pauses
  PfcAgent b{"10.0.0.2"};  // is judged
  Profile profile = VirtualFabricProfile();

 private:
  std::vector<HostClient> hosts_{};
};

TEST_F(PfcRunnerTest, TakesTheProfilesWordForTheLink) {
  EXPECT_EQ(Prepared(), absl::OkStatus());
  EXPECT_EQ(a.checks + b.checks, 0) << "nobody listens";
}

TEST_F(PfcRunnerTest, RefusesANicThatDropsThePausesOfItsHostBeforeItListens) {
  for (const bool direct : {true, false}) {
    profile.direct_link = direct;
    for (const char* driver : {"i40e", "iavf", "ice"}) {
      a.HaveDriver(driver);
      const absl::Status refused = Prepared();
      EXPECT_TRUE(absl::IsUnknown(refused)) << refused;
      EXPECT_THAT(Message(refused), AllOf(HasSubstr("a cannot pause b: its NIC dcb0 drops the pause frames"),
                                          HasSubstr(std::string("driver ") + driver)));
    }
  }
  EXPECT_EQ(a.checks + b.checks, 0);
}

TEST_F(PfcRunnerTest, JudgesANicThatDropsThePausesOfItsHost) {
  b.HaveDriver("ice");
  EXPECT_EQ(Prepared(), absl::OkStatus());
}

TEST_F(PfcRunnerTest, RefusesALinkThatIsNotKnownToBeDirect) {
  profile.direct_link = false;
  const absl::Status refused = Prepared();
  EXPECT_TRUE(absl::IsUnknown(refused)) << refused;
  EXPECT_THAT(Message(refused), HasSubstr("it is not known that a cable joins the two"));
  for (const PfcAgent* const agent : {&a, &b}) {
    EXPECT_EQ(agent->checks, 1);
    EXPECT_EQ(agent->listened_s, 2U);
  }
}

TEST_F(PfcRunnerTest, RefusesAHostThatTakesNoPartInStressTests) {
  b.stress = false;
  const absl::Status refused = Prepared();
  EXPECT_TRUE(absl::IsPermissionDenied(refused)) << refused;
  EXPECT_THAT(Message(refused), HasSubstr("host b"));
}

}  // namespace
}  // namespace rdmaready
