// SPDX-License-Identifier: Apache-2.0
// Probes over gRPC: what an agent answers, refuses and keeps. The server is a thread.
#include <atomic>
#include <chrono>
#include <thread>

#include "agent/link/failure.h"
#include "agent/port/port_lock.h"
#include "agent/probe/probe.h"
#include "checks/probe/probe.h"
#include "tests/support/fake_clock.h"
#include "tests/support/smb_server/responder.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::SizeIs;

constexpr char kOwnAddress[] = "10.0.0.1";  // of the fake host's port

class ProbeServiceTest : public ServiceTest {
 protected:
  // Names lead to 10.0.0.9, the way there to the port of the fake host; TCP is closed.
  ProbeNetwork TestNetwork() {
    return {.resolve = [this](const std::string& name) -> absl::StatusOr<std::vector<std::string>> {
              if (name == "nowhere") return MakeFailure(FailureKind::kUnreachable, "resolve nowhere: no");
              return addresses;
            },
            .source_of = [this](const std::string&) -> absl::StatusOr<std::string> { return source; },
            .connect_tcp = [](const Endpoint&, const Patience&) -> absl::StatusOr<std::unique_ptr<ByteStream>> {
              return MakeFailure(FailureKind::kRejected, "connect: Connection refused");
            }};
  }

  LinkMaker Servers() {
    return [this](Role, std::uint32_t) {
      fabrics_.push_back(std::make_unique<MemoryFabric>());
      servers_.emplace_back([&fabric = *fabrics_.back()](const std::stop_token& stop) {
        MemoryLink link(fabric, Role::kResponder);
        static_cast<void>(
            Respond(link, {.address = "10.0.0.9"},
                    {.deadline = std::chrono::steady_clock::now() + seconds(10), .interrupted = [&] {
                       return stop.stop_requested() ? absl::CancelledError() : absl::OkStatus();
                     }}));
      });
      return std::make_unique<MemoryLink>(*fabrics_.back(), Role::kInitiator);
    };
  }

  ProbeOptions Fs1() const {
    return {.protocol = Protocol::kSmb, .target = "fs1", .caller = "a test", .run_id = "run-9"};
  }

  std::vector<std::string> addresses{"10.0.0.9"};
  std::string source = kOwnAddress;
  std::vector<std::jthread> servers_;
};

std::string Step(const ProbeAnswer& answer, std::string_view name) {
  for (const ProbeStep& step : answer.result.steps) {
    if (step.name == name) return step.outcome == StepOutcome::kDone ? "done" : step.failure.detail;
  }
  return "no such step";
}

TEST_F(ProbeServiceTest, TellsJudgesAndKeepsWhatTheServerAnswered) {
  ServedAgent agent(Servers(), locks_, {}, TestNetwork());
  std::vector<std::string> steps;
  const absl::StatusOr<ProbeAnswer> answer =
      agent.Client("a")->Probe(Fs1(), [&](const std::string& step) { steps.push_back(step); });
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->result.target, "fs1");
  EXPECT_EQ(answer->result.address, "10.0.0.9");
  EXPECT_EQ(answer->result.local_port, "rxe0/1");
  EXPECT_EQ(Step(*answer, "smb2-negotiate"), "done");
  EXPECT_EQ(steps.front(), "resolve");
  EXPECT_EQ(answer->findings, JudgeProbe(answer->result));
  ASSERT_THAT(agent.store.runs, SizeIs(1));
  const RunRecord& run = agent.store.runs.front();
  EXPECT_EQ(run.run_id, "run-9");
  EXPECT_EQ(run.level, Rung::kServer);
  EXPECT_EQ(run.report.findings, answer->findings);
  ASSERT_THAT(run.report.ladder, SizeIs(1));
  EXPECT_EQ(run.report.ladder.front(), (RungResult{Rung::kServer, RungOutcome::kFail}));  // TCP is closed
  EXPECT_EQ(agent.Told("probe", "target"), "fs1");
  EXPECT_EQ(agent.Told("probe", "outcome"), "not-ready");
  EXPECT_THAT(agent.Told("probe", "reason"), HasSubstr("tcp-connect"));
}

TEST_F(ProbeServiceTest, TakesTheAddressThatAnRdmaPortLeadsTo) {
  addresses = {"192.0.2.1", "10.0.0.9"};
  ProbeNetwork network = TestNetwork();
  network.source_of = [](const std::string& address) -> absl::StatusOr<std::string> {
    return std::string(address == "10.0.0.9" ? kOwnAddress : "192.0.2.7");
  };
  ServedAgent agent(Servers(), locks_, {}, network);
  const absl::StatusOr<ProbeAnswer> answer = agent.Client("a")->Probe(Fs1(), {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->result.address, "10.0.0.9");
}

TEST_F(ProbeServiceTest, TriesAllAddressesThroughAPortThatIsNamedToo) {
  addresses = {"192.0.2.1", "10.0.0.9"};
  ProbeNetwork network = TestNetwork();
  network.source_of = [](const std::string& address) -> absl::StatusOr<std::string> {
    return std::string(address == "10.0.0.9" ? kOwnAddress : "192.0.2.7");
  };
  ServedAgent agent(Servers(), locks_, {}, network);
  ProbeOptions options = Fs1();
  options.port = {"rxe0", 1, ""};
  absl::StatusOr<ProbeAnswer> answer = agent.Client("a")->Probe(options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->result.address, "10.0.0.9");
  EXPECT_EQ(answer->result.local_port, "rxe0/1");
  // The routing table leads nowhere through the port: who names it knows better, as far as that can be.
  addresses = {"2001:db8::9", "192.0.2.1"};
  answer = agent.Client("a")->Probe(options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->result.address, "192.0.2.1") << "of the same family as the port's address";
  EXPECT_EQ(answer->result.local_port, "rxe0/1");
}

TEST_F(ProbeServiceTest, SaysThatNoRdmaPortLeadsThere) {
  source = "192.0.2.7";
  ServedAgent agent(Servers(), locks_, {}, TestNetwork());
  const absl::StatusOr<ProbeAnswer> answer = agent.Client("a")->Probe(Fs1(), {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(Step(*answer, "route"), HasSubstr("no RDMA port of this host leads to 10.0.0.9"));
  EXPECT_EQ(answer->result.local_port, "");
  EXPECT_TRUE(servers_.empty());
}

TEST_F(ProbeServiceTest, SaysThatTheNameLeadsNowhere) {
  ServedAgent agent(Servers(), locks_, {}, TestNetwork());
  ProbeOptions options = Fs1();
  options.target = "nowhere";
  const absl::StatusOr<ProbeAnswer> answer = agent.Client("a")->Probe(options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(Step(*answer, "resolve"), "resolve nowhere: no");
  ASSERT_FALSE(answer->findings.empty());
  EXPECT_EQ(answer->findings.front().outcome, Outcome::kFail);
}

TEST_F(ProbeServiceTest, EndsInTheTimeThatTheCallerGives) {
  FakeClock clock;
  ProbeNetwork silent = TestNetwork();
  silent.connect_tcp = [&clock](const Endpoint&,
                                const Patience& patience) -> absl::StatusOr<std::unique_ptr<ByteStream>> {
    clock.Advance(patience.deadline - clock.Now());
    return MakeFailure(FailureKind::kStalled, "connect: no answer in time");
  };
  ServedAgent agent(Servers(), locks_, {}, silent, nullptr, {}, true, nullptr, {}, {}, nullptr, clock);
  ProbeOptions options = Fs1();
  options.timeout = std::chrono::milliseconds(200);
  const Clock::TimePoint begin = clock.Now();
  const absl::StatusOr<ProbeAnswer> answer = agent.Client("a")->Probe(options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(clock.Now() - begin, options.timeout) << "the step alone may take 5 s";
  EXPECT_EQ(Step(*answer, "tcp-connect"), "connect: no answer in time");
  EXPECT_EQ(Step(*answer, "rdma-connect"), "") << "not made";
  EXPECT_EQ(ReadinessOfProbe(answer->findings), Readiness::kUndetermined) << "nobody was heard to fail";
  const auto tcp = std::ranges::find(answer->findings, "server.tcp-445", &Finding::id);
  ASSERT_NE(tcp, answer->findings.end());
  EXPECT_EQ(tcp->outcome, Outcome::kUnknown);
  EXPECT_EQ(tcp->observed, "connect: no answer in time (the time of the probe was up)");
  EXPECT_THAT(tcp->fix, HasSubstr("rdmaready probe smb fs1 --timeout"));
}

TEST_F(ProbeServiceTest, TakesMoreTimeThanAnyProbeNeedsForTheMost) {
  ServedAgent agent(Servers(), locks_, {}, TestNetwork());
  ProbeOptions options = Fs1();
  options.timeout = std::chrono::minutes(10);
  const absl::StatusOr<ProbeAnswer> answer = agent.Client("a")->Probe(options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(Step(*answer, "smb2-negotiate"), "done");
}

TEST_F(ProbeServiceTest, RefusesWhatMakesNoSense) {
  ServedAgent agent(Servers(), locks_, {}, TestNetwork());
  const auto client = agent.Client("a");
  const auto code = [&](const auto& change) {
    ProbeOptions options = Fs1();
    change(options);
    return client->Probe(options, {}).status().code();
  };
  EXPECT_EQ(code([](ProbeOptions& o) { o.target.clear(); }), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](ProbeOptions& o) { o.target = "-x"; }), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](ProbeOptions& o) { o.target = "a b"; }), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](ProbeOptions& o) { o.target = std::string(300, 'a'); }),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](ProbeOptions& o) { o.port_number = 70'000; }), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code([](ProbeOptions& o) { o.protocol = Protocol::kUnknown; }), absl::StatusCode::kUnimplemented);
  for (const Protocol protocol : {Protocol::kNvme, Protocol::kIser, Protocol::kNfs}) {
    EXPECT_EQ(code([=](ProbeOptions& o) {
                o.protocol = protocol;
                o.prove = true;
                o.volume = "a name that none has";
              }),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(code([](ProbeOptions& o) { o.port = {"mlx5_7", 1, ""}; }), absl::StatusCode::kNotFound);
  EXPECT_TRUE(agent.store.runs.empty());
}

TEST_F(ProbeServiceTest, ProvesNothingWithoutAShareAndAUser) {
  ServedAgent agent(Servers(), locks_, {}, TestNetwork());
  ProbeOptions whole{.protocol = Protocol::kSmb, .target = "fs1", .prove = true, .volume = "data"};
  EXPECT_EQ(agent.Client("a")->Probe(whole, {}).status().code(), absl::StatusCode::kInvalidArgument);
  whole.credentials.user_name = "u";
  for (const char* share : {"", "a/b", "a\\b", "a,user=root", "a\n", "a:b"}) {
    whole.volume = share;
    EXPECT_EQ(agent.Client("a")->Probe(whole, {}).status().code(), absl::StatusCode::kInvalidArgument) << share;
  }
  EXPECT_TRUE(agent.store.runs.empty());
}

TEST_F(ProbeServiceTest, ProvesNothingUnlessItsSettingsAllowItAndSaysWhoCould) {
  ServedAgent agent(Servers(), locks_, {}, TestNetwork(), nullptr, {}, false);
  const std::vector<ProbeOptions> proofs{{.protocol = Protocol::kSmb,
                                          .target = "fs1",
                                          .prove = true,
                                          .volume = "data",
                                          .credentials = {.user_name = "u"}},
                                         {.protocol = Protocol::kNvme, .target = "fs1", .prove = true},
                                         {.protocol = Protocol::kIser, .target = "fs1", .prove = true},
                                         {.protocol = Protocol::kNfs, .target = "fs1", .prove = true}};
  const std::vector<std::string> first{"share-mount", "nvme-subsystem-connect", "iser-session-login",
                                       "nfs-mount"};
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    ProbeOptions proof = proofs[i];
    proof.timeout = std::chrono::seconds(2);  // that server speaks SMB only
    const absl::StatusOr<ProbeAnswer> answer = agent.Client("a")->Probe(proof, {});
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_NE(ReadinessOfProbe(answer->findings), Readiness::kReady);
    EXPECT_TRUE(answer->result.transfers.empty());
    EXPECT_NE(Step(*answer, first[i]), "done");
    if (proof.protocol != Protocol::kSmb) continue;
    EXPECT_THAT(Step(*answer, first[i]), testing::StartsWith("not allowed: this agent makes no proofs"));
    EXPECT_THAT(Step(*answer, first[i]), HasSubstr("/etc/rdmaready/proofs.yaml"));
    EXPECT_EQ(Step(*answer, "smb2-negotiate"), "done");  // what needs no right is found out
  }
}

// What is asked of a prover, and how it answers.
class FakeProver final : public Prover {
 public:
  absl::StatusOr<std::string> Admit(const ProofWish& wish) override {
    wishes.push_back(wish);
    if (!admitted.ok()) return admitted;
    return wish.volume.empty() ? "chosen" : wish.volume;
  }
  bool Prove(const KernelProof& proof, Walk& walk) override {
    proofs.push_back(proof);
    return walk.Step(KernelSteps(proof.protocol, proof.inquire).front(), seconds(1),
                     [&](const Patience&) { return made; });
  }

  absl::Status admitted{};
  absl::Status made{};
  std::vector<ProofWish> wishes{};
  std::vector<KernelProof> proofs{};
};

TEST_F(ProbeServiceTest, AsksTheProverForWhatOnlyTheKernelDoesAndNamesServerPortAndVolume) {
  const auto prover = std::make_shared<FakeProver>();
  ServedAgent agent(Servers(), locks_, {}, TestNetwork(), nullptr, {}, false, prover);
  const ProbeOptions proof{.protocol = Protocol::kSmb, .target = "fs1", .prove = true};
  const absl::StatusOr<ProbeAnswer> answer = agent.Client("a")->Probe(proof, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_THAT(prover->wishes, SizeIs(1));
  EXPECT_EQ(prover->wishes.front().server, "fs1");
  EXPECT_FALSE(prover->wishes.front().credentials);
  ASSERT_THAT(prover->proofs, SizeIs(1));
  const KernelProof& asked = prover->proofs.front();
  EXPECT_EQ(asked.protocol, Protocol::kSmb);
  EXPECT_EQ(asked.server, "fs1");
  EXPECT_EQ(asked.address, "10.0.0.9");
  EXPECT_EQ(asked.local_address, kOwnAddress);
  EXPECT_EQ(asked.device, "rxe0");
  EXPECT_EQ(asked.device_port, 1U);
  EXPECT_EQ(asked.volume, "chosen");
  EXPECT_FALSE(asked.inquire);
  EXPECT_EQ(Step(*answer, "share-mount"), "done");
}

TEST_F(ProbeServiceTest, AsksByTcpWhatTheServerOffersWhereTheProverDoesNotMount) {
  const auto prover = std::make_shared<FakeProver>();
  prover->made = MakeFailure(FailureKind::kRejected, "mount: No such file or directory");
  ServedAgent agent(Servers(), locks_, {}, TestNetwork(), nullptr, {}, false, prover);
  const ProbeOptions proof{.protocol = Protocol::kSmb, .target = "fs1", .prove = true, .volume = "data"};
  ASSERT_TRUE(agent.Client("a")->Probe(proof, {}).ok());
  ASSERT_THAT(prover->proofs, SizeIs(2));
  EXPECT_FALSE(prover->proofs.front().inquire);
  EXPECT_TRUE(prover->proofs.back().inquire);
}

TEST_F(ProbeServiceTest, WhatTheProverDoesNotAllowIsUnknownInItsWords) {
  const auto prover = std::make_shared<FakeProver>();
  prover->admitted = absl::PermissionDeniedError("not allowed: smb fs1 is not in the file");
  ServedAgent agent(Servers(), locks_, {}, TestNetwork(), nullptr, {}, false, prover);
  const ProbeOptions proof{.protocol = Protocol::kSmb, .target = "fs1", .prove = true, .volume = "data"};
  const absl::StatusOr<ProbeAnswer> answer = agent.Client("a")->Probe(proof, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(Step(*answer, "share-mount"), "not allowed: smb fs1 is not in the file");
  EXPECT_TRUE(prover->proofs.empty());
  prover->admitted = absl::InvalidArgumentError("a proof on a share needs credentials");
  EXPECT_EQ(agent.Client("a")->Probe(proof, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ProbeServiceTest, WaitsForNobodyWhoHoldsThePort) {
  ServedAgent agent(Servers(), locks_, {}, TestNetwork());
  const absl::StatusOr<PortLock> held = PortLock::Take(OnlyPort(), "somebody", locks_);
  const absl::Status status = agent.Client("a")->Probe(Fs1(), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("somebody"));
}

TEST_F(ProbeServiceTest, LetsGoOfThePortBeforeItAsksByTcpAlone) {
  const LinkMaker refused = [this](Role, std::uint32_t) {
    fabrics_.push_back(std::make_unique<MemoryFabric>());
    fabrics_.back()->refuses = Handshake{.refusal = Refusal::kNoListener, .reject_reason = 8};
    return std::make_unique<MemoryLink>(*fabrics_.back(), Role::kInitiator);
  };
  ServedAgent agent(refused, locks_, {}, TestNetwork());
  std::stop_source given_up;
  std::vector<std::string> free_at;
  const Watcher watcher{.progress = [&](const std::string& step) {
    if (PortLock::Take(OnlyPort(), "a test", locks_).ok()) free_at.push_back(step);
    if (step == "share-inquire") given_up.request_stop();  // and mounts nothing
  }};
  const ProbeQuestion question{.protocol = Protocol::kSmb,
                               .target = "fs1",
                               .prove = true,
                               .volume = "data",
                               .credentials = {.user_name = "u"}};
  ASSERT_TRUE(agent.agent().Probe(question, {.name = "a test"}, watcher, given_up.get_token()).ok());
  EXPECT_THAT(free_at, testing::ElementsAre("resolve", "route", "share-inquire"));
}

TEST_F(ProbeServiceTest, AVerdictStandsAlthoughTheStoreIsFull) {
  ServedAgent agent(Servers(), locks_, {}, TestNetwork());
  agent.store.status = absl::ResourceExhaustedError("store: disk full");
  const absl::StatusOr<ProbeAnswer> answer = agent.Client("a")->Probe(Fs1(), {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->store_error, "store: disk full");
}

TEST(Probes, HaveStepsThatTheChecksKnow) {
  for (const ProbeRow& row : AllProbes()) {
    const ProbeResult result = BeginProbe(row, "fs1");
    EXPECT_GT(result.steps.size(), 2U);
    EXPECT_FALSE(JudgeProbe(result).empty());
  }
}

TEST(HostNetwork, KnowsThisHost) {
  const ProbeNetwork network = HostNetwork();
  const absl::StatusOr<std::vector<std::string>> addresses = network.resolve("127.0.0.1");
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  EXPECT_EQ(addresses->front(), "127.0.0.1");
  EXPECT_EQ(*network.source_of("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(FailureOf(network.source_of("fs1").status()).kind, FailureKind::kUnreachable);
}

}  // namespace
}  // namespace rdmaready
