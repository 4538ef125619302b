// SPDX-License-Identifier: Apache-2.0
// The prover, served, and the agent's side of it: what is proven, what is refused, and what comes back. What
// mounts and connects is a fake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>

#include "agent/helper/asker.h"
#include "agent/helper/peer.h"
#include "agent/helper/prover/helped_prover.h"
#include "agent/helper/prover/order.h"
#include "agent/helper/prover/verbs.h"
#include "agent/helper/server.h"
#include "agent/link/failure.h"
#include "agent/probe/probe.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"

namespace rdmaready::helper {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kProofs[] =
    "targets:\n"
    "  - {protocol: nfs, server: nas1, addresses: [192.0.2.7], volume: /scratch}\n"
    "  - {protocol: smb, server: 192.0.2.8, volume: scratch, callers_credentials: true}\n"
    "  - {protocol: nvme, server: 192.0.2.9, volume: 'nqn.2026-01.org.example:disk1'}\n";

class ProverTest : public testing::Test {
 protected:
  ProverTest() {
    std::filesystem::create_directories(directory_);
    Write(kProofs);
  }
  ~ProverTest() override {
    if (serving_.valid()) End();
    std::filesystem::remove_all(directory_);
  }

  void Write(std::string_view text, ::mode_t mode = 0644) {
    std::ofstream(file_) << text;
    ASSERT_EQ(::chmod(file_.c_str(), mode), 0);
  }

  void Start() {
    absl::StatusOr<UniqueFd> listener = ListenOn(directory_ + "/prover.sock");
    ASSERT_TRUE(listener.ok()) << listener.status();
    std::vector<Verb> verbs =
        ProverVerbs({.proofs_file = file_,
                     .owner = ::geteuid(),
                     .make =
                         [this](const KernelProof& proof, Walk& walk, std::vector<std::string>& lines) {
                           made.push_back(proof);
                           return make(proof, walk, lines);
                         },
                     .is_own = [](const std::string& address) { return address == "192.0.2.1"; }});
    server_ = std::make_unique<HelperServer>(*std::move(listener), std::move(verbs),
                                             ServeOptions{.asker = ::geteuid()});
    serving_ = std::async(std::launch::async, [this] { return server_->Run(told_.get()); });
  }
  void End() {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(told_.get(), &one, sizeof(one)), 8);
    serving_.get();
  }

  std::shared_ptr<Prover> Agent() {
    return HelpedProver(directory_, [this](const std::string& line) { leftovers.push_back(line); });
  }

  static ProofWish Nas1() { return {.protocol = Protocol::kNfs, .server = "nas1", .volume = "/scratch"}; }
  static KernelProof OnNas1() {
    return {.protocol = Protocol::kNfs,
            .server = "nas1",
            .address = "192.0.2.7",
            .port_number = 20049,
            .local_address = "192.0.2.1",
            .device = "rxe0",
            .device_port = 1,
            .volume = "/scratch",
            .version = "4.2"};
  }

  struct Walked {
    bool done = false;
    ProbeResult result{};
    std::vector<std::string> heard{};
    const ProbeStep& Step(std::string_view name) const {
      return *std::ranges::find(result.steps, name, &ProbeStep::name);
    }
  };
  Walked Prove(const KernelProof& proof, milliseconds time = seconds(10), const std::stop_token& stop = {}) {
    Walked walked{.result = BeginProbe(*FindProbe(proof.protocol), "nas1", true)};
    if (proof.protocol == Protocol::kSmb) {
      for (const std::string_view step : {kStepShareMount, kStepShareFiles, kStepShareInquire})
        walked.result.steps.push_back({.name = std::string(step)});
    }
    walked.result.answers.nfs.credits = 8;
    Walk walk(
        walked.result,
        {.deadline = std::chrono::steady_clock::now() + time,
         .interrupted = [&] { return stop.stop_requested() ? absl::CancelledError("stop") : absl::OkStatus(); },
         .progress = [&](const std::string& step) { walked.heard.push_back(step); },
         .stop = stop});
    walked.done = Agent()->Prove(proof, walk);
    return walked;
  }

  // A question as a taken-over agent writes it.
  absl::Status Say(std::string_view verb, const Json& arguments) {
    return HelperAsker(directory_, "prover")
        .Ask(verb, arguments, TimedWait({.longest = seconds(60), .stop = {}}))
        .answer.status();
  }

  const std::string directory_ = testing::TempDir() + "prover " + std::to_string(::getpid());
  const std::string file_ = directory_ + "/proofs.yaml";
  const UniqueFd told_{::eventfd(0, EFD_CLOEXEC)};
  std::function<bool(const KernelProof&, Walk&, std::vector<std::string>&)> make =
      [](const KernelProof& proof, Walk& walk, std::vector<std::string>&) {
        for (const std::string_view step : KernelSteps(proof.protocol, proof.inquire))
          walk.Step(step, seconds(1), [](const Patience&) { return absl::OkStatus(); });
        return true;
      };
  std::vector<KernelProof> made;
  std::vector<std::string> leftovers;
  std::unique_ptr<HelperServer> server_;
  std::future<ServeEnd> serving_;
};

TEST_F(ProverTest, AdmitsWhatTheFileNamesAndChoosesTheVolume) {
  Start();
  EXPECT_EQ(*Agent()->Admit(Nas1()), "/scratch");
  EXPECT_EQ(*Agent()->Admit({.protocol = Protocol::kNfs, .server = "192.0.2.7"}), "/scratch");
  EXPECT_EQ(*Agent()->Admit({.protocol = Protocol::kNvme, .server = "192.0.2.9"}), "") << "its caller names it";
  EXPECT_THAT(made, IsEmpty());
}

TEST_F(ProverTest, RefusesWhatTheFileDoesNotNameInWords) {
  Start();
  const auto other = Agent()->Admit({.protocol = Protocol::kNfs, .server = "nas9", .volume = "/scratch"});
  EXPECT_EQ(other.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Message(other.status()),
            "not allowed: " + file_ + " does not name nfs /scratch of nas9, port 20049, which its root could");
}

TEST_F(ProverTest, RefusesEverythingWhileOthersMayWriteTheFile) {
  Start();
  EXPECT_TRUE(Agent()->Admit(Nas1()).ok());
  Write(kProofs, 0666);  // counts at once
  const auto admitted = Agent()->Admit(Nas1());
  EXPECT_EQ(admitted.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(Message(admitted.status()), HasSubstr("with mode 0666"));
  const Walked walked = Prove(OnNas1());
  EXPECT_FALSE(walked.done);
  EXPECT_THAT(walked.Step(kStepNfsMount).failure.detail, StartsWith("not allowed: "));
  EXPECT_EQ(walked.Step(kStepNfsMount).failure.kind, FailureKind::kSetup);
  EXPECT_THAT(made, IsEmpty());
}

TEST_F(ProverTest, SaysWhatIsWrongWithTheFileOrThatThereIsNone) {
  Start();
  Write("targets:\n  - {protocol: nfs, server: 192.0.2.7, volum: /a}\n");
  EXPECT_THAT(Message(Agent()->Admit(Nas1()).status()), HasSubstr("proofs.yaml:2: unknown key `volum`"));
  std::filesystem::remove(file_);
  EXPECT_THAT(Message(Agent()->Admit(Nas1()).status()), HasSubstr("No such file or directory"));
}

TEST_F(ProverTest, WithoutItNothingIsAllowedAndTheWordsSayHowToHaveIt) {
  const auto admitted = Agent()->Admit(Nas1());
  EXPECT_EQ(admitted.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(Message(admitted.status()), StartsWith("not allowed: rdmaready-prover is not running"));
  EXPECT_THAT(Message(admitted.status()), HasSubstr("/etc/rdmaready/proofs.yaml"));
}

TEST_F(ProverTest, MakesTheProofAndTellsItsStepsAnswersAndTransfers) {
  make = [](const KernelProof&, Walk& walk, std::vector<std::string>& lines) {
    lines.emplace_back("nvme-leftover controller=nvme3");
    walk.Step(kStepNfsMount, seconds(1), [](const Patience&) { return absl::OkStatus(); });
    walk.answers().nfs.mount_transport = "rdma";
    walk.result().transfers.push_back({.case_name = "nfs-write", .bytes = 4711});
    walk.Step(kStepNfsWrite, seconds(1), [](const Patience&) {
      return MakeFailure(FailureKind::kCorrupt, "other bytes than were written");
    });
    return true;
  };
  Start();
  const Walked walked = Prove(OnNas1());
  EXPECT_TRUE(walked.done);
  EXPECT_THAT(walked.heard, ElementsAre("nfs-mount", "nfs-write"));
  EXPECT_EQ(walked.Step(kStepNfsMount).outcome, StepOutcome::kDone);
  EXPECT_EQ(walked.Step(kStepNfsWrite).failure,
            (Failure{FailureKind::kCorrupt, "other bytes than were written"}));
  EXPECT_EQ(walked.Step(kStepNfsRead).outcome, StepOutcome::kNotReached);
  EXPECT_EQ(walked.result.answers.nfs.mount_transport, "rdma");
  EXPECT_EQ(walked.result.answers.nfs.credits, 8U) << "what was told before stays";
  ASSERT_THAT(walked.result.transfers, SizeIs(1));
  EXPECT_EQ(walked.result.transfers.front().bytes, 4711U);
  EXPECT_THAT(leftovers, ElementsAre("nvme-leftover controller=nvme3"));
  ASSERT_THAT(made, SizeIs(1));
  EXPECT_EQ(made.front().device, "rxe0");
  EXPECT_EQ(made.front().version, "4.2");
}

TEST_F(ProverTest, KeepsToTheLimitOfAProofInProduction) {
  std::vector<std::uint64_t> limits;
  make = [&limits](const KernelProof&, Walk& walk, std::vector<std::string>&) {
    limits.push_back(walk.watch().limit_bytes_per_s);
    return true;
  };
  Start();
  for (const std::uint64_t limit : {0U, 6'250'000U}) {
    const absl::Status done =
        Say(kProveVerb, ToJson(ProofOrder{.proof = OnNas1(), .limit = seconds(1), .limit_bytes_per_s = limit}));
    EXPECT_TRUE(done.ok()) << done;
  }
  EXPECT_THAT(limits, ElementsAre(0U, 6'250'000U));
}

TEST_F(ProverTest, TellsOfNoStepThatIsNotTheKernels) {
  make = [](const KernelProof&, Walk& walk, std::vector<std::string>&) {
    walk.result().steps.push_back({.name = "rdma-connect", .outcome = StepOutcome::kDone});
    return true;
  };
  Start();
  EXPECT_EQ(Prove(OnNas1()).Step(kStepRdmaConnect).outcome, StepOutcome::kNotReached);
}

TEST_F(ProverTest, MountsNoOtherAddressVolumePortOrServerWhateverTheAgentSays) {
  Start();
  const auto refused = [&](const auto& change) {
    KernelProof proof = OnNas1();
    change(proof);
    return Say(kProveVerb, ToJson(ProofOrder{.proof = proof, .limit = seconds(1)})).code();
  };
  using Code = absl::StatusCode;
  EXPECT_EQ(refused([](KernelProof& p) { p.address = "192.0.2.66"; }), Code::kPermissionDenied);
  EXPECT_EQ(refused([](KernelProof& p) { p.address = "192.0.2.8"; }), Code::kPermissionDenied)
      << "of another target";
  EXPECT_EQ(refused([](KernelProof& p) { p.volume = "/etc"; }), Code::kPermissionDenied);
  EXPECT_EQ(refused([](KernelProof& p) { p.volume = "/scratch/../etc"; }), Code::kPermissionDenied);
  EXPECT_EQ(refused([](KernelProof& p) { p.server = "nas2"; }), Code::kPermissionDenied);
  EXPECT_EQ(refused([](KernelProof& p) { p.port_number = 2049; }), Code::kPermissionDenied);
  EXPECT_EQ(refused([](KernelProof& p) { p.protocol = Protocol::kSmb; }), Code::kPermissionDenied);
  EXPECT_EQ(refused([](KernelProof& p) { p.address = "192.0.2.7,sec=none"; }), Code::kInvalidArgument);
  EXPECT_EQ(refused([](KernelProof& p) { p.address = "nas1"; }), Code::kInvalidArgument);
  EXPECT_EQ(refused([](KernelProof& p) { p.version = "4.2,sec=krb5"; }), Code::kInvalidArgument);
  EXPECT_EQ(refused([](KernelProof& p) { p.local_address = "192.0.2.99"; }), Code::kInvalidArgument);
  EXPECT_EQ(refused([](KernelProof& p) { p.device = "../../../etc"; }), Code::kInvalidArgument);
  EXPECT_EQ(refused([](KernelProof& p) { p.device = ".."; }), Code::kInvalidArgument);
  EXPECT_THAT(made, IsEmpty());
  EXPECT_EQ(refused([](KernelProof&) {}), Code::kOk) << "unchanged, it is allowed";
}

TEST_F(ProverTest, KnowsNoPathsOptionsOrOtherVerbs) {
  Start();
  Json order = ToJson(ProofOrder{.proof = OnNas1(), .limit = seconds(1)});
  for (const char* more : {"options", "path", "mount_point", "credentials_file", "proofs"}) {
    Json with = order;
    with[more] = "x";
    EXPECT_EQ(Say(kProveVerb, with).code(), absl::StatusCode::kInvalidArgument) << more;
  }
  EXPECT_EQ(Say("mount", order).code(), absl::StatusCode::kInvalidArgument);
  order["limit_ms"] = 86'400'000;
  EXPECT_EQ(Say(kProveVerb, order).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(made, IsEmpty());
}

TEST_F(ProverTest, TakesACallersCredentialsWhereTheFileLetsHimBringThem) {
  Start();
  KernelProof proof{.protocol = Protocol::kSmb,
                    .server = "192.0.2.8",
                    .address = "192.0.2.8",
                    .local_address = "192.0.2.1",
                    .device = "rxe0",
                    .device_port = 1,
                    .volume = "scratch"};
  EXPECT_EQ(Say(kProveVerb, ToJson(ProofOrder{.proof = proof, .limit = seconds(1)})).code(),
            absl::StatusCode::kInvalidArgument);
  proof.credentials = {.user_name = "anna", .password = "p\xc3\xa4ss \"word\"", .domain = "d"};
  EXPECT_TRUE(Prove(proof).done);
  ASSERT_THAT(made, SizeIs(1));
  EXPECT_EQ(made.front().credentials.password, "p\xc3\xa4ss \"word\"");
  EXPECT_EQ(made.front().port_number, 445);
}

TEST_F(ProverTest, TakesRootsCredentialsWhereTheFileNamesThemAndNoOthers) {
  const std::string secret = directory_ + "/nas";
  std::ofstream(secret) << "username=backup\npassword=secret\n";
  ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
  Write("targets:\n  - {protocol: smb, server: 192.0.2.8, volume: scratch, credentials: '" + secret + "'}\n");
  Start();
  KernelProof proof{
      .protocol = Protocol::kSmb, .server = "192.0.2.8", .address = "192.0.2.8", .volume = "scratch"};
  EXPECT_TRUE(Prove(proof).done);
  ASSERT_THAT(made, SizeIs(1));
  EXPECT_EQ(made.front().credentials.user_name, "backup");
  proof.credentials.user_name = "anna";
  EXPECT_EQ(Say(kProveVerb, ToJson(ProofOrder{.proof = proof, .limit = seconds(1)})).code(),
            absl::StatusCode::kPermissionDenied);
}

TEST_F(ProverTest, MakesOneProofAtATimeAndEndsOneThatIsGivenUp) {
  std::promise<void> begun;
  std::promise<void> ended;
  make = [&](const KernelProof&, Walk& walk, std::vector<std::string>&) {
    return walk.Step(kStepNfsMount, seconds(9), [&](const Patience& patience) -> absl::Status {
      begun.set_value();
      while (patience.interrupted().ok()) std::this_thread::sleep_for(milliseconds(5));
      ended.set_value();
      return patience.interrupted();
    });
  };
  Start();
  std::stop_source stop;
  auto first = std::async(std::launch::async, [&] { return Prove(OnNas1(), seconds(9), stop.get_token()); });
  begun.get_future().wait();
  const absl::Status second = Say(kProveVerb, ToJson(ProofOrder{.proof = OnNas1(), .limit = seconds(1)}));
  EXPECT_EQ(second.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Message(second), HasSubstr("busy"));
  stop.request_stop();
  EXPECT_EQ(ended.get_future().wait_for(seconds(60)), std::future_status::ready);
  const Walked walked = first.get();
  EXPECT_FALSE(walked.done);
  EXPECT_EQ(walked.Step(kStepNfsMount).failure.kind, FailureKind::kCancelled);
}

TEST_F(ProverTest, AProverThatDoesNotEndInTimeIsTheEndOfTheTimeAndNotTheServersFault) {
  std::promise<void> release;
  make = [wait = release.get_future().share()](const KernelProof&, Walk&, std::vector<std::string>&) {
    wait.wait();
    return false;
  };
  Start();
  std::stop_source stop;
  auto walked =
      std::async(std::launch::async, [&] { return Prove(OnNas1(), milliseconds(20), stop.get_token()); });
  std::this_thread::sleep_for(milliseconds(50));
  stop.request_stop();  // a mount that sleeps in the kernel hears nothing of it
  const Walked late = walked.get();
  EXPECT_EQ(late.Step(kStepNfsMount).outcome, StepOutcome::kFailed);
  EXPECT_NE(late.Step(kStepNfsMount).failure.kind, FailureKind::kRejected);
  release.set_value();
}

TEST(OwnAddress, IsOneOfThisHost) {
  EXPECT_TRUE(IsOwnAddress("127.0.0.1"));
  EXPECT_FALSE(IsOwnAddress("192.0.2.1"));
  EXPECT_FALSE(IsOwnAddress(""));
}

}  // namespace
}  // namespace rdmaready::helper
