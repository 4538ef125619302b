// SPDX-License-Identifier: Apache-2.0
// No live test beside work, whoever asks for it: what is refused, what is stopped, and what is limited.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "agent/link/pacer.h"
#include "tests/unit/agent/server/service_rig.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using wire::operator+;

constexpr char kUsed[] = "RDMA port rxe0/1 is in use by rping (pid 42): nothing was sent";

class UseServiceTest : public ServiceTest {
 protected:
  static wire::Bytes Idle() { return wire::QueuePair(1, 1, wire::OfKernel("ib_core")); }
  static void UsedByProcess(FakeHost& host) {
    host.files["/proc/42/comm"] = "rping\n";
    host.Answer(wire::QueuePairsRequest(3),
                wire::One(wire::QueuePairs(3, Idle() + wire::QueuePair(17, 2, wire::OfProcess(42)))));
  }
  static void UsedByKernel(FakeHost& host, const std::string& name) {
    host.Answer(wire::QueuePairsRequest(3),
                wire::One(wire::QueuePairs(3, Idle() + wire::QueuePair(17, 2, wire::OfKernel("rdma_cm")))));
    host.Answer(wire::CmIdsRequest(3), wire::One(wire::CmIds(3, wire::Connection(17, wire::OfKernel(name)))));
  }
  // The first look sees an idle port, each later one a user.
  static void UserComes(FakeHost& host) {
    host.files["/proc/42/comm"] = "rping\n";
    host.Answer(wire::QueuePairsRequest(3), wire::One(wire::QueuePairs(3, Idle())));
    host.ThenAnswer(wire::QueuePairsRequest(3),
                    wire::One(wire::QueuePairs(3, Idle() + wire::QueuePair(17, 2, wire::OfProcess(42)))));
  }
  std::unique_ptr<ServedAgent> Allowing(LinkMaker make_link) {
    return std::make_unique<ServedAgent>(std::move(make_link), locks_, CallLimits{}, HostNetwork(), nullptr,
                                         WorkerLimits{}, true, nullptr, PeerTrust{}, std::vector<Prefix>{},
                                         nullptr, RealClock(), kFewBytes, true);
  }
  absl::Status Loopback(ServedAgent& agent, const TransferOptions& options = {}) {
    return agent.Client("a")->TestLoopback(
        {}, {"send-1k"}, "a test", "run-7", {}, [this](const PortTransfer& one) { transfers_.push_back(one); },
        options);
  }

  std::vector<PortTransfer> transfers_{};
};

TEST_F(UseServiceTest, ALoopbackTestOfAUsedPortNamesTheProcessAndSendsNothing) {
  ServedAgent agent(BothEnds(), locks_);
  UsedByProcess(agent.host);
  const absl::Status refused = Loopback(agent);
  EXPECT_EQ(refused.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr(kUsed));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--in-production"));
  EXPECT_THAT(transfers_, IsEmpty());
  EXPECT_THAT(agent.store.transfers, IsEmpty());
  EXPECT_THAT(fabrics_, IsEmpty());
}

TEST_F(UseServiceTest, ALoopbackTestOfAUsedPortNamesTheKernelsConsumer) {
  for (const char* name : {"nvme_rdma", "cifs", "rpcrdma"}) {
    ServedAgent agent(BothEnds(), locks_);
    UsedByKernel(agent.host, name);
    EXPECT_THAT(std::string(Loopback(agent).message()),
                HasSubstr(std::string("in use by ") + name + " of the kernel"));
  }
  EXPECT_THAT(fabrics_, IsEmpty());
}

TEST_F(UseServiceTest, ListenersAndManagementQueuePairsDoNotBlockATest) {
  ServedAgent agent(BothEnds(), locks_);  // ksmbd listens there
  EXPECT_EQ(Loopback(agent), absl::OkStatus());
  EXPECT_THAT(transfers_, SizeIs(1));
}

TEST_F(UseServiceTest, NothingIsSentWhereTheOwnersCannotBeRead) {
  ServedAgent agent(BothEnds(), locks_);
  agent.host.Answer(wire::QueuePairsRequest(3), ErrnoStatus(EOPNOTSUPP, "list"));
  const absl::Status refused = Loopback(agent);
  EXPECT_EQ(refused.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("whether others use RDMA port rxe0/1 is not known"));
  EXPECT_THAT(fabrics_, IsEmpty());
}

TEST_F(UseServiceTest, AUserOfAnotherDeviceOverTheSameNetdevBlocksATest) {
  ServedAgent agent(BothEnds(), locks_);
  FakeHost& host = agent.host;
  host.Answer(wire::DevicesRequest(),
              wire::Each({wire::Device(3, "rxe0", "roce"), wire::Device(4, "rxe1", "roce")}));
  host.Answer(wire::DeviceRequest(4), wire::One(wire::Device(4, "rxe1", "roce")));
  host.Answer(wire::PortRequest(4, 1), wire::One(wire::Port(4, "rxe1", 1, 7)));
  host.files["/proc/42/comm"] = "rping\n";
  host.Answer(wire::QueuePairsRequest(4),
              wire::One(wire::QueuePairs(4, Idle() + wire::QueuePair(17, 2, wire::OfProcess(42)))));
  host.Answer(wire::CmIdsRequest(4), std::vector<NetlinkMessage>());
  const absl::Status refused = agent.Client("a")->TestLoopback(
      {.device = "rxe0", .number = 1}, {"send-1k"}, "a test", "run-7", {}, [](const PortTransfer&) {}, {});
  EXPECT_EQ(refused.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("RDMA port rxe0/1 is in use by rping (pid 42) through rxe1, which shares its NIC"));
  EXPECT_THAT(fabrics_, IsEmpty());
}

TEST_F(UseServiceTest, NothingIsSentWhereAProcessMayHaveObjectsThatTheKernelDoesNotList) {
  ServedAgent agent(BothEnds(), locks_);
  agent.host.links["/sys/class/infiniband/rxe0/device/driver"] = "../../bus/pci/drivers/mlx5_core";
  agent.host.files["/proc/42/comm"] = "ucx_perftest\n";
  agent.host.Answer(wire::DomainsRequest(3), wire::One(wire::Domains(3, wire::Domain(wire::OfProcess(42)))));
  const absl::Status refused = Loopback(agent);
  EXPECT_EQ(refused.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("is not known: ucx_perftest (pid 42) may use it"));
  EXPECT_THAT(fabrics_, IsEmpty());
}

TEST_F(UseServiceTest, AUserThatGoesWhileThePortIsLookedAtIsForgiven) {
  ServedAgent agent(BothEnds(), locks_);
  UsedByProcess(agent.host);
  agent.host.ThenAnswer(wire::QueuePairsRequest(3), wire::One(wire::QueuePairs(3, Idle())));
  EXPECT_EQ(Loopback(agent), absl::OkStatus());
}

TEST_F(UseServiceTest, APeerTestIsRefusedByTheEndWhosePortIsUsed) {
  for (const bool responder : {true, false}) {
    ServedAgent from(OneEnd(Role::kInitiator), locks_);
    const std::string other_locks = locks_ + "/other";
    std::filesystem::create_directories(other_locks);
    ServedAgent to(OneEnd(Role::kResponder), other_locks);
    UsedByProcess(responder ? to.host : from.host);
    const std::unique_ptr<AgentClient> a = from.Client("a");
    const std::unique_ptr<AgentClient> b = to.Client("b");
    const PeerAnswer answer = RunPeerTest(*a, *b, Send1k());
    const absl::Status& refused = responder ? answer.to_status : answer.from_status;
    EXPECT_EQ(refused.code(), absl::StatusCode::kAborted);
    EXPECT_THAT(std::string(refused.message()), HasSubstr(kUsed));
    EXPECT_EQ(answer.result.messages, 0u);
  }
}

TEST_F(UseServiceTest, ACheckSaysUnknownAndWhoUsesThePort) {
  ServedAgent agent(BothEnds(), locks_);
  UsedByProcess(agent.host);
  const absl::StatusOr<CheckAnswer> answer = agent.Client("a")->Check({.level = Rung::kLoopback}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  int live = 0;
  for (const Finding& finding : answer->report.findings) {
    if (!finding.id.starts_with("loopback.")) continue;
    ++live;
    EXPECT_EQ(finding.outcome, Outcome::kUnknown);
    EXPECT_THAT(finding.observed, HasSubstr(kUsed));
  }
  EXPECT_GT(live, 1);
  EXPECT_NE(answer->report.verdict, Readiness::kReady);
}

TEST_F(UseServiceTest, AProbeThroughAUsedPortIsRefused) {
  const ProbeNetwork network{
      .resolve = [](const std::string&) -> absl::StatusOr<std::vector<std::string>> {
        return std::vector<std::string>{"10.0.0.9"};
      },
      .source_of = [](const std::string&) -> absl::StatusOr<std::string> { return "10.0.0.1"; },
      .connect_tcp = [](const Endpoint&, const Patience&) -> absl::StatusOr<std::unique_ptr<ByteStream>> {
        return absl::UnavailableError("no");
      }};
  ServedAgent agent(BothEnds(), locks_, {}, network);
  UsedByKernel(agent.host, "nvme_rdma");
  const absl::StatusOr<ProbeAnswer> answer =
      agent.Client("a")->Probe({.protocol = Protocol::kNvme, .target = "fs1"}, {});
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("in use by nvme_rdma of the kernel"));
  EXPECT_THAT(fabrics_, IsEmpty());
}

TEST_F(UseServiceTest, InProductionIsRefusedOnAUsedPortUnlessTheAgentAllowsIt) {
  ServedAgent agent(BothEnds(), locks_);
  UsedByProcess(agent.host);
  const absl::Status refused = Loopback(agent, {.in_production = true});
  EXPECT_EQ(refused.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--allow-in-production"));
  EXPECT_THAT(fabrics_, IsEmpty());
}

TEST_F(UseServiceTest, InProductionAUsedPortIsTestedAtFivePercentOfItsRate) {
  const std::unique_ptr<ServedAgent> agent = Allowing(BothEnds());
  UsedByProcess(agent->host);
  ASSERT_EQ(Loopback(*agent, {.in_production = true}), absl::OkStatus());
  ASSERT_THAT(transfers_, SizeIs(1));
  EXPECT_EQ(transfers_[0].result.failure, Failure{}) << transfers_[0].result.failure.detail;
  EXPECT_EQ(transfers_[0].result.limit_bytes_per_s, ShareOf(25'000));
  EXPECT_EQ(Loopback(*agent).code(), absl::StatusCode::kAborted);  // the caller has to ask for it
}

TEST_F(UseServiceTest, InProductionBothEndsOfAPeerTestKeepToTheSlowerPort) {
  const std::string other_locks = locks_ + "/other";
  std::filesystem::create_directories(other_locks);
  ServedAgent from(OneEnd(Role::kInitiator), locks_);
  ServedAgent to(OneEnd(Role::kResponder), other_locks);
  to.host.files["/sys/class/net/dcb0/speed"] = "1000\n";
  PeerTest test = Send1k();
  test.options.in_production = true;
  const std::unique_ptr<AgentClient> a = from.Client("a");
  const std::unique_ptr<AgentClient> b = to.Client("b");
  const PeerAnswer answer = RunPeerTest(*a, *b, test);
  EXPECT_EQ(answer.result.failure, Failure{}) << answer.result.failure.detail;
  EXPECT_EQ(answer.result.limit_bytes_per_s, ShareOf(1'000));
}

TEST_F(UseServiceTest, InProductionNothingIsSentWhereTheRateIsNotKnown) {
  const std::unique_ptr<ServedAgent> agent = Allowing(BothEnds());
  agent->host.files["/sys/class/net/dcb0/speed"] = "-1\n";
  const absl::Status refused = Loopback(*agent, {.in_production = true});
  EXPECT_EQ(refused.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("the rate of RDMA port rxe0/1 is not known"));
  EXPECT_THAT(fabrics_, IsEmpty());
}

TEST_F(UseServiceTest, ATestIsStoppedWhenAUserComesAndSaysSo) {
  ServedAgent agent = Unbounded(BothEnds(), locks_);
  UserComes(agent.host);
  const auto begin = std::chrono::steady_clock::now();
  const absl::Status stopped =
      agent.Client("a")->TestLoopback({}, {"send-1k", "write-8k"}, "a test", "run-7", {},
                                      [this](const PortTransfer& one) { transfers_.push_back(one); },
                                      {.duration = std::chrono::milliseconds(50'000)});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
  EXPECT_EQ(stopped.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(stopped.message()), HasSubstr("RDMA port rxe0/1 came into use by rping (pid 42)"));
  ASSERT_THAT(transfers_, SizeIs(1));
  EXPECT_EQ(transfers_[0].result.failure.kind, FailureKind::kCancelled);
  EXPECT_THAT(transfers_[0].result.failure.detail,
              HasSubstr("came into use by rping (pid 42): the test was stopped"));
}

TEST_F(UseServiceTest, BothEndsOfAPeerTestHearThatAUserCameToOneOfThem) {
  const std::string other_locks = locks_ + "/other";
  std::filesystem::create_directories(other_locks);
  ServedAgent from = Unbounded(OneEnd(Role::kInitiator), locks_);
  ServedAgent to = Unbounded(OneEnd(Role::kResponder), other_locks);
  UserComes(to.host);
  PeerTest test = Send1k();
  test.options.duration = std::chrono::milliseconds(50'000);
  const std::unique_ptr<AgentClient> a = from.Client("a");
  const std::unique_ptr<AgentClient> b = to.Client("b");
  const PeerAnswer answer = RunPeerTest(*a, *b, test);
  EXPECT_EQ(answer.result.failure.kind, FailureKind::kCancelled) << answer.result.failure.detail;
  EXPECT_THAT(answer.result.failure.detail, HasSubstr("came into use by rping (pid 42)"));
}

}  // namespace
}  // namespace rdmaready
