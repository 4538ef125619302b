// SPDX-License-Identifier: Apache-2.0
// An agent admits stress tests within its limits, and stops one whose time is over.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

#include "agent/access/gate.h"
#include "agent/server/service.h"
#include "agent/transfer/local_channel.h"
#include "api/profile/load.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/agent/server/service_rig.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// An agent that nothing serves, by a clock that the test moves.
class StressServiceTest : public ServiceTest {
 protected:
  absl::StatusOr<PeerTicket> Admit(const TransferOptions& options, const std::string& run_id = "run-7") {
    if (agent_ == nullptr) {
      AgentConfig config;
      config.default_profiles = {*LoadProfile("virtual-fabric")};
      config.lock_directory = locks_;
      config.stress = limits_;
      config.clock = &clock_;
      agent_ = std::make_unique<Agent>(host_, store_, OneEnd(Role::kInitiator), std::move(config));
    }
    return agent_->AdmitPeer({.role = PeerRequest::Role::kInitiator,
                              .port = {.device = "rxe0", .number = 1},
                              .case_name = "write-8k",
                              .peer_name = "b",
                              .options = options},
                             {.name = "a test", .run_id = run_id, .who = "DNS:anna"});
  }
  void ExpectRefused(const TransferOptions& options, absl::StatusCode code, const std::string& words) {
    const absl::Status refused = Admit(options).status();
    EXPECT_EQ(refused.code(), code) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr(words));
    EXPECT_TRUE(PortLock::Take(OnlyPort(), "another", locks_).ok()) << "the port is free";
  }

  FakeClock clock_;
  FakeHost host_ = GoodFakeHost();
  RecordingStore store_;
  StressLimits limits_{.allowed = true};
  std::unique_ptr<Agent> agent_;
};

TEST_F(StressServiceTest, RefusesAStressTestUnlessItIsAllowed) {
  limits_.allowed = false;
  ExpectRefused({.stress = true}, absl::StatusCode::kFailedPrecondition, "--allow-stress");
}

TEST_F(StressServiceTest, RefusesAStressTestInProduction) {
  ExpectRefused({.stress = true, .in_production = true}, absl::StatusCode::kInvalidArgument,
                "never made in production");
}

TEST_F(StressServiceTest, RefusesAStressTestBeyondItsLimits) {
  limits_.duration = milliseconds(10'000);
  limits_.bytes_per_s = 125'000'000;
  const auto refused = absl::StatusCode::kInvalidArgument;
  ExpectRefused({.duration = milliseconds(10'001), .stress = true, .max_bytes_per_s = 1000}, refused,
                "too long (limit 10000 ms, --stress-max-time)");
  ExpectRefused({.stress = true}, refused, "more than 1000 Mb/s");
  ExpectRefused({.stress = true, .max_bytes_per_s = 125'000'001}, refused, "--stress-max-mbps");
  ExpectRefused({.stress = true, .stress_priority = 8, .max_bytes_per_s = 1000}, refused, "0 to 7");
}

TEST_F(StressServiceTest, RefusesTheCasesOwnTimeWhereThatIsTooLong) {
  limits_.duration = FindCase("write-8k")->duration - milliseconds(1);
  ExpectRefused({.stress = true}, absl::StatusCode::kInvalidArgument, "--stress-max-time");
}

TEST_F(StressServiceTest, GivesTheTransfersOfARunOnePortAsManyAsAreAllowed) {
  limits_.senders = 2;
  const auto first = Admit({.stress = true});
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Admit({.stress = true});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(first->share.meter, second->share.meter);
  EXPECT_EQ(first->share.until, clock_.Now() + limits_.run);
  EXPECT_EQ(Admit({.stress = true}).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Admit({.stress = true}, "run-8").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Admit({}).status().code(), absl::StatusCode::kResourceExhausted) << "nor is another test made";
}

TEST_F(StressServiceTest, GivesAnotherTestNoMeter) {
  const auto plain = Admit({});
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->share.meter, nullptr);
  EXPECT_EQ(plain->share.until, std::nullopt);
}

TEST_F(StressServiceTest, StopsATransferThatStillConnectsWhenTheTimeOfItsRunIsOver) {
  const auto ticket = Admit({.stress = true});
  ASSERT_TRUE(ticket.ok()) << ticket.status();
  clock_.Advance(limits_.run);
  const auto [own, silent] = MakeLocalChannel();
  const absl::StatusOr<LiveTest> live = agent_->RunPeer(*ticket, *own, {});
  ASSERT_TRUE(live.ok()) << live.status();
  EXPECT_EQ(live->result.failure.kind, FailureKind::kCancelled);
  EXPECT_THAT(live->result.failure.detail, HasSubstr("is over (--stress-max-run, --stress-max-hour)"));
}

// The answer to a caller by plain TCP, who has the role test.
TEST_F(StressServiceTest, RefusesACallerWithTheRoleTestAlone) {
  ServedAgent host(OneEnd(Role::kResponder), locks_);
  AgentService service(host.agent(), {},
                       std::make_shared<access::Gate>(access::GateOptions{.plain_role = access::Role::kTest}));
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  const auto stub = v1::Agent::NewStub(
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  v1::PeerTestRequest request;
  request.mutable_start()->set_role(v1::PeerTestRequest::Start::ROLE_RESPONDER);
  request.mutable_start()->set_case_name("write-8k");
  request.mutable_start()->mutable_port()->set_device("rxe0");
  request.mutable_start()->mutable_port()->set_number(1);
  request.mutable_start()->mutable_options()->set_stress(true);
  grpc::ClientContext context;
  const auto stream = stub->TestPeer(&context);
  stream->Write(request);
  const grpc::Status refused = stream->Finish();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::PERMISSION_DENIED) << refused.error_message();
  EXPECT_THAT(refused.error_message(), HasSubstr("needs the role stress"));
  EXPECT_THAT(host.store.transfers, testing::IsEmpty());
  server->Shutdown();
}

TEST_F(StressServiceTest, RefusesStressAndALimitOfTheRateInALoopbackTest) {
  ServedAgent agent(BothEnds(), locks_);
  for (const TransferOptions& options :
       {TransferOptions{.stress = true}, TransferOptions{.max_bytes_per_s = 1'000'000}}) {
    const absl::Status refused =
        agent.Client("a")->TestLoopback({}, {"send-1k"}, "a test", "run-7", {}, {}, options);
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("loopback"));
  }
  EXPECT_THAT(agent.store.transfers, testing::IsEmpty());
}

}  // namespace
}  // namespace rdmaready
