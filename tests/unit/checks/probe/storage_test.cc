// SPDX-License-Identifier: Apache-2.0
// The checks of NVMe, iSER and NFS servers: all pass where all is well, and each fails for its own reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "checks/probe/probe.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A step, and what is known once it was made.
struct Stage {
  std::string step{};
  std::function<void(ProbeResult&)> told{};
  std::vector<TransferResult> transfers{};
};
using Stages = std::vector<Stage>;

TransferResult Moved(std::string name, bool verified) {
  return {.case_name = std::move(name),
          .messages = 8,
          .bytes = 2'097'152,
          .bytes_verified = verified ? 2'097'152u : 0};
}

Stages NvmeStages() {
  return {{"resolve", {}},
          {"route",
           [](ProbeResult& r) {
             r.answers.nvme_host.nqn = "nqn.host";
             r.answers.nvme_host.nqn_from = "/etc/nvme/hostnqn";
           }},
          {"rdma-connect", [](ProbeResult& r) { r.answers.rdma.ird = 16; }},
          {"nvme-discovery-connect", [](ProbeResult& r) { r.answers.nvme.controller_id = 1; }},
          {"nvme-enable", [](ProbeResult& r) { r.answers.nvme.version = "1.3"; }},
          {"nvme-discovery-log",
           [](ProbeResult& r) {
             r.answers.nvme.subsystems = 2;
             r.answers.nvme.rdma_subsystems = 1;
             r.answers.nvme.listed = {{"nqn.one", "tcp", "10.0.0.2", "8009"},
                                      {"nqn.two", "rdma", "10.0.0.2", "4420"}};
           }},
          {"nvme-subsystem-connect", [](ProbeResult& r) { r.answers.nvme.proof_subsystem = "nqn.one"; }},
          {"nvme-kernel-connect",
           [](ProbeResult& r) {
             r.answers.nvme.kernel_transport = "rdma";
             r.answers.nvme.kernel_controller = "nvme3";
           }},
          {"nvme-kernel-read", {}, {Moved("nvme-read", true)}},
          {"nvme-kernel-disconnect", {}}};
}

Stages IserStages() {
  return {{"resolve", {}},
          {"route", [](ProbeResult& r) { r.answers.iser_initiator.name = "iqn.me"; }},
          {"rdma-connect", [](ProbeResult& r) { r.answers.rdma.ird = 16; }},
          {"iser-discovery-login", {}},
          {"iser-send-targets",
           [](ProbeResult& r) {
             r.answers.iser.targets = 1;
             r.answers.iser.listed = {{"iqn.a", {"10.0.0.2:3260,1"}}};
           }},
          {"iser-discovery-logout", {}},
          {"iser-session-login",
           [](ProbeResult& r) {
             r.answers.iser.authentication = "None";
             r.answers.iser.rdma_extensions = "Yes";
           }},
          {"iser-unit", {}},
          {"iser-read", {}, {Moved("iser-read", true)}},
          {"iser-session-logout", {}}};
}

Stages NfsStages() {
  return {{"resolve", {}},
          {"route", {}},
          {"rdma-connect",
           [](ProbeResult& r) {
             r.answers.rdma.ird = 16;
             r.answers.nfs.connect_data = true;
             r.answers.nfs.server_receive = 4096;
           }},
          {"nfs-null", [](ProbeResult& r) { r.answers.nfs.credits = 64; }},
          {"nfs-versions",
           [](ProbeResult& r) {
             r.answers.nfs.versions = "4.0 4.1 4.2";
             r.answers.nfs.newest_version = "4.2";
           }},
          {"nfs-mount",
           [](ProbeResult& r) {
             r.answers.nfs.proof_export = "/";
             r.answers.nfs.mount_transport = "rdma";
           }},
          {"nfs-write", {}, {Moved("nfs-write", false)}},
          {"nfs-read",
           [](ProbeResult& r) {
             r.answers.nfs.rdma_request_bytes = 2'112'816;
             r.answers.nfs.rdma_reply_bytes = 2'097'712;
           },
           {Moved("nfs-read", true)}},
          {"nfs-unmount", {}}};
}

// What was mounted is unmounted, whatever went wrong in it.
bool IsCleanUp(std::string_view step, std::string_view failed) {
  return step == "nfs-unmount" && (failed == "nfs-write" || failed == "nfs-read");
}

// Made up to `failing`, which failed; all of it when that is empty.
ProbeResult Walked(Protocol protocol, const Stages& stages, std::string_view failing = {}) {
  ProbeResult result{.protocol = protocol,
                     .target = "fs1",
                     .address = "10.0.0.2",
                     .port_number = 4420,
                     .local_port = "rxe0/1",
                     .transport = "roce-v2"};
  bool going = true;
  for (const Stage& stage : stages) {
    ProbeStep& step = result.steps.emplace_back();
    step.name = stage.step;
    if (going && stage.step == failing) {
      step.outcome = StepOutcome::kFailed;
      step.failure = {FailureKind::kRejected, "the step's own words"};
      going = false;
    } else if (!going && IsCleanUp(stage.step, failing)) {
      step.outcome = StepOutcome::kDone;
    } else if (going) {
      step.outcome = StepOutcome::kDone;
      if (stage.told) stage.told(result);
      result.transfers.insert(result.transfers.end(), stage.transfers.begin(), stage.transfers.end());
    }
  }
  return result;
}

std::vector<std::string> TroubleIn(const ProbeResult& result) {
  std::vector<std::string> ids;
  for (const Finding& finding : JudgeProbe(result)) {
    const bool fine = finding.outcome == Outcome::kPass || finding.outcome == Outcome::kNotApplicable;
    if (!fine) ids.push_back(finding.id);
  }
  return ids;
}

Finding ById(const ProbeResult& result, std::string_view id) {
  for (const Finding& finding : JudgeProbe(result)) {
    if (finding.id == id) return finding;
  }
  return {};
}

struct Family {
  Protocol protocol;
  Stages stages;
  // What makes the check of that name, and no other, fail: a step, or a change of what is well otherwise.
  std::map<std::string, std::string> by_step;
  std::map<std::string, std::function<void(ProbeResult&)>> by_change;
};

std::vector<Family> Families() {
  const auto wrong = [](ProbeResult& r) {
    r.transfers.back().bytes_wrong = 1;
    --r.transfers.back().bytes_verified;
  };
  return {{Protocol::kNvme,
           NvmeStages(),
           {{"nvme.address", "resolve"},
            {"nvme.route", "route"},
            {"nvme.rdma-listener", "rdma-connect"},
            {"nvme.discovery-connect", "nvme-discovery-connect"},
            {"nvme.discovery", "nvme-enable"},
            {"nvme.subsystem-admits", "nvme-subsystem-connect"},
            {"nvme.kernel-read", "nvme-kernel-connect"},
            {"nvme.kernel-disconnect", "nvme-kernel-disconnect"}},
           {{"nvme.subsystem-listed", [](ProbeResult& r) { r.answers.nvme.rdma_subsystems = 0; }},
            {"nvme.kernel-read", [](ProbeResult& r) { r.answers.nvme.kernel_transport = "tcp"; }}}},
          {Protocol::kIser,
           IserStages(),
           {{"iser.address", "resolve"},
            {"iser.route", "route"},
            {"iser.rdma-listener", "rdma-connect"},
            {"iser.discovery-login", "iser-discovery-login"},
            {"iser.discovery", "iser-send-targets"},
            {"iser.session", "iser-session-login"},
            {"iser.read", "iser-unit"}},
           {{"iser.target-listed", [](ProbeResult& r) { r.answers.iser.targets = 0; }}, {"iser.read", wrong}}},
          {Protocol::kNfs,
           NfsStages(),
           {{"nfs.address", "resolve"},
            {"nfs.route", "route"},
            {"nfs.rdma-listener", "rdma-connect"},
            {"nfs.null", "nfs-null"},
            {"nfs.mount", "nfs-mount"},
            {"nfs.write", "nfs-write"},
            {"nfs.read", "nfs-read"},
            {"nfs.unmount", "nfs-unmount"}},
           {{"nfs.version", [](ProbeResult& r) { r.answers.nfs.newest_version = "4.0"; }},
            {"nfs.inline-size", [](ProbeResult& r) { r.answers.nfs.server_receive = 1024; }},
            {"nfs.by-rdma", [](ProbeResult& r) { r.answers.nfs.rdma_reply_bytes = 0; }},
            {"nfs.read", wrong}}}};
}

TEST(StorageProbeChecks, OfAGoodServerAllPass) {
  for (const Family& family : Families()) {
    const std::vector<Finding> findings = JudgeProbe(Walked(family.protocol, family.stages));
    ASSERT_FALSE(findings.empty());
    for (const Finding& finding : findings) {
      EXPECT_EQ(finding.outcome, Outcome::kPass) << finding.id << ": " << finding.observed;
      EXPECT_FALSE(finding.source.empty()) << finding.id;
      EXPECT_THAT(finding.fix, IsEmpty());
    }
    EXPECT_EQ(ReadinessOfProbe(findings), Readiness::kReady);
  }
}

TEST(StorageProbeChecks, EachFailsForItsOwnReason) {
  for (const Family& family : Families()) {
    const std::string prefix = ProbeSubject(family.protocol, "").substr(0, 3);
    for (const ProbeCheck& check : AllProbeChecks()) {
      const std::string id(check.id);
      if (!id.starts_with(prefix)) continue;
      std::vector<ProbeResult> broken;
      if (const auto step = family.by_step.find(id); step != family.by_step.end())
        broken.push_back(Walked(family.protocol, family.stages, step->second));
      if (const auto change = family.by_change.find(id); change != family.by_change.end()) {
        broken.push_back(Walked(family.protocol, family.stages));
        change->second(broken.back());
      }
      ASSERT_FALSE(broken.empty()) << id << " has no case that shows that it can fail";
      for (const ProbeResult& result : broken) {
        EXPECT_THAT(TroubleIn(result), testing::ElementsAre(id));
        const Finding finding = ById(result, id);
        EXPECT_EQ(finding.outcome, check.blocking ? Outcome::kFail : Outcome::kWarn) << id;
        EXPECT_TRUE(finding.remedy.has_value()) << id;
        EXPECT_EQ(finding.fix.find_first_of("{}"), std::string::npos) << finding.fix;
        EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)),
                  check.blocking ? Readiness::kNotReady : Readiness::kReady);
      }
    }
  }
}

TEST(StorageProbeChecks, WithoutAProofSayThatNoneWasAskedFor) {
  for (Family& family : Families()) {
    std::erase_if(family.stages, [](const Stage& stage) {
      return stage.step.find("kernel") != std::string::npos || stage.step == "nvme-subsystem-connect" ||
             stage.step == "iser-session-login" || stage.step == "iser-unit" || stage.step == "iser-read" ||
             stage.step == "iser-session-logout" || stage.step == "nfs-mount" || stage.step == "nfs-write" ||
             stage.step == "nfs-read" || stage.step == "nfs-unmount";
    });
    const ProbeResult result = Walked(family.protocol, family.stages);
    EXPECT_THAT(TroubleIn(result), IsEmpty());
    EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kReady);
    EXPECT_EQ(std::ranges::count(JudgeProbe(result), Outcome::kNotApplicable, &Finding::outcome),
              family.protocol == Protocol::kIser   ? 2
              : family.protocol == Protocol::kNvme ? 3
                                                   : 5);
  }
}

TEST(StorageProbeChecks, OfNothingAtAllAreNeverReady) {
  for (const Family& family : Families())
    EXPECT_NE(ReadinessOfProbe(JudgeProbe({.protocol = family.protocol, .target = "fs1"})), Readiness::kReady);
}

TEST(StorageProbeChecks, NameWhoIsRefusedAndWhatIsDemanded) {
  const Finding denied =
      ById(Walked(Protocol::kNvme, NvmeStages(), "nvme-subsystem-connect"), "nvme.subsystem-admits");
  EXPECT_EQ(denied.observed, "the step's own words (host nqn.host, /etc/nvme/hostnqn)");
  ProbeResult chap = Walked(Protocol::kIser, IserStages(), "iser-session-login");
  chap.answers.iser.authentication = "CHAP";
  EXPECT_THAT(WhatToDo(ById(chap, "iser.session")), HasSubstr("authmethod -v CHAP"));
}

TEST(StorageProbeChecks, TellAHostWithoutRdmaFromASilentOne) {
  ProbeResult result = Walked(Protocol::kNfs, NfsStages(), "rdma-connect");
  result.answers.rdma.refusal = {.kind = RdmaRefusal::Kind::kNoAnswer};
  EXPECT_EQ(ById(result, "nfs.rdma-listener").observed, "the step's own words");
  EXPECT_THAT(WhatToDo(ById(result, "nfs.rdma-listener")), HasSubstr("ping -c 3 10.0.0.2"));
  result.answers.rdma.tcp_answers = true;
  result.answers.rdma.local_iwarp = false;
  EXPECT_THAT(ById(result, "nfs.rdma-listener").observed, HasSubstr("TCP is answered there and RDMA is not"));
  EXPECT_THAT(WhatToDo(ById(result, "nfs.rdma-listener")), HasSubstr("4791"));
  result.answers.rdma.local_iwarp = true;
  EXPECT_THAT(WhatToDo(ById(result, "nfs.rdma-listener")), Not(HasSubstr("4791")));
}

TEST(StorageProbeChecks, SayThatNobodyListensOnlyWhereThatIsSo) {
  for (const Family& family : Families()) {
    const std::string subject = ProbeSubject(family.protocol, "");
    const std::string id = subject.substr(0, subject.find(' ')) + ".rdma-listener";
    ProbeResult result = Walked(family.protocol, family.stages, "rdma-connect");
    result.answers.rdma.refusal = {.kind = RdmaRefusal::Kind::kNoListener};
    const Finding nobody = ById(result, id);
    EXPECT_THAT(nobody.observed, HasSubstr("no RDMA listener"));
    result.answers.rdma.refusal = {.kind = RdmaRefusal::Kind::kConsumer};
    const Finding refused = ById(result, id);
    EXPECT_EQ(refused.outcome, Outcome::kFail);
    EXPECT_NE(refused.fix, nobody.fix);
    EXPECT_THAT(refused.remedy->cause, HasSubstr("refused this connection"));
  }
}

// The step of that name failed for a reason of this host's.
ProbeResult FailedHere(Protocol protocol, const Stages& stages, std::string_view step) {
  ProbeResult result = Walked(protocol, stages, step);
  std::ranges::find(result.steps, step, &ProbeStep::name)->failure = {FailureKind::kSetup, "our own trouble"};
  return result;
}

TEST(StorageProbeChecks, SayWhoCouldAllowAProofThatIsNotAllowed) {
  for (ProbeResult result : {FailedHere(Protocol::kNvme, NvmeStages(), "nvme-subsystem-connect"),
                             FailedHere(Protocol::kNvme, NvmeStages(), "nvme-kernel-connect")}) {
    for (ProbeStep& step : result.steps) {
      if (step.outcome == StepOutcome::kFailed) step.failure.detail = "not allowed: the file does not name it";
    }
    const std::vector<Finding> findings = JudgeProbe(result);
    const auto denied = std::ranges::find_if(
        findings, [](const Finding& finding) { return finding.observed.starts_with("not allowed: "); });
    ASSERT_NE(denied, findings.end());
    EXPECT_EQ(denied->outcome, Outcome::kUnknown);
    EXPECT_THAT(denied->fix, HasSubstr("rdmaready-prover.socket"));
  }
}

TEST(StorageProbeChecks, BlameNoServerForWhatThisHostLacks) {
  struct Case {
    ProbeResult result;
    std::string id;
    std::string fix;
  };
  for (const Case& row :
       {Case{FailedHere(Protocol::kNvme, NvmeStages(), "rdma-connect"), "nvme.rdma-listener", "ulimit -l"},
        Case{FailedHere(Protocol::kIser, IserStages(), "rdma-connect"), "iser.rdma-listener", "ulimit -l"},
        Case{FailedHere(Protocol::kNvme, NvmeStages(), "nvme-discovery-connect"), "nvme.discovery-connect",
             "ulimit -l"},
        Case{FailedHere(Protocol::kNvme, NvmeStages(), "nvme-enable"), "nvme.discovery", "ulimit -l"},
        Case{FailedHere(Protocol::kNvme, NvmeStages(), "nvme-discovery-log"), "nvme.discovery", "ulimit -l"},
        Case{FailedHere(Protocol::kNvme, NvmeStages(), "nvme-subsystem-connect"), "nvme.subsystem-admits",
             "ulimit -l"},
        Case{FailedHere(Protocol::kIser, IserStages(), "iser-discovery-login"), "iser.discovery-login",
             "ulimit -l"},
        Case{FailedHere(Protocol::kIser, IserStages(), "iser-send-targets"), "iser.discovery", "ulimit -l"},
        Case{FailedHere(Protocol::kIser, IserStages(), "iser-session-login"), "iser.session", "ulimit -l"},
        Case{FailedHere(Protocol::kIser, IserStages(), "iser-unit"), "iser.read", "ulimit -l"},
        Case{FailedHere(Protocol::kIser, IserStages(), "iser-read"), "iser.read", "ulimit -l"},
        Case{FailedHere(Protocol::kNfs, NfsStages(), "nfs-null"), "nfs.null", "ulimit -l"},
        Case{FailedHere(Protocol::kNfs, NfsStages(), "nfs-mount"), "nfs.mount", "modprobe rpcrdma"},
        Case{FailedHere(Protocol::kNfs, NfsStages(), "nfs-read"), "nfs.read", "ulimit -l"},
        Case{FailedHere(Protocol::kNvme, NvmeStages(), "nvme-kernel-connect"), "nvme.kernel-read",
             "modprobe nvme-rdma"}}) {
    const Finding finding = ById(row.result, row.id);
    EXPECT_EQ(finding.outcome, Outcome::kUnknown) << row.id;
    EXPECT_EQ(finding.observed, "our own trouble");
    EXPECT_THAT(WhatToDo(finding), HasSubstr(row.fix));
    EXPECT_THAT(TroubleIn(row.result), testing::ElementsAre(row.id));
    EXPECT_EQ(ReadinessOfProbe(JudgeProbe(row.result)), Readiness::kUndetermined);
  }
}

TEST(StorageProbeChecks, AdviseToTakeDownOneControllerAndNeverASubsystem) {
  ProbeResult connected = FailedHere(Protocol::kNvme, NvmeStages(), "nvme-kernel-connect");
  connected.answers.nvme.already_connected = "nvme0 nvme4";
  EXPECT_THAT(WhatToDo(ById(connected, "nvme.kernel-read")), HasSubstr("nvme disconnect -d nvme0"));
  const ProbeResult left = Walked(Protocol::kNvme, NvmeStages(), "nvme-kernel-disconnect");
  EXPECT_THAT(WhatToDo(ById(left, "nvme.kernel-disconnect")), HasSubstr("nvme disconnect -d nvme3"));
  for (const ProbeCheck& check : AllProbeChecks())
    EXPECT_THAT(OneLine(check.fix.remedy()), Not(HasSubstr("nvme disconnect --nqn"))) << check.id;
}

TEST(StorageProbeChecks, AskForTheNameOfTheSubsystemToProve) {
  ProbeResult result = Walked(Protocol::kNvme, NvmeStages());
  result.answers.nvme.proof_subsystem.reset();
  for (ProbeStep& step : result.steps) {
    const bool proof = step.name.find("kernel") != std::string::npos || step.name == "nvme-subsystem-connect";
    if (proof) step.outcome = StepOutcome::kNotReached;
  }
  EXPECT_THAT(TroubleIn(result), testing::ElementsAre("nvme.subsystem-admits"));
  const Finding finding = ById(result, "nvme.subsystem-admits");
  EXPECT_EQ(finding.outcome, Outcome::kUnknown);
  EXPECT_THAT(finding.observed, HasSubstr("name the subsystem: --subsystem NQN"));
  EXPECT_THAT(WhatToDo(finding), HasSubstr("probe nvme fs1 --prove --subsystem NQN"));
  result.answers.nvme.proof_subsystem = "nqn.two";
  EXPECT_EQ(ById(result, "nvme.subsystem-admits").observed, "not tried") << "it was named, and the walk ended";
}

TEST(StorageProbeChecks, CountOnlySubsystemsOverRdma) {
  ProbeResult result = Walked(Protocol::kNvme, NvmeStages());
  EXPECT_EQ(ById(result, "nvme.subsystem-listed").observed,
            "nqn.two at rdma 10.0.0.2:4420; 1 over other transports");
  result.answers.nvme.rdma_subsystems = 0;
  const Finding none = ById(result, "nvme.subsystem-listed");
  EXPECT_EQ(none.observed, "none over RDMA for the host nqn.host; 2 over other transports");
  EXPECT_THAT(WhatToDo(none), HasSubstr("addr_trtype"));
}

}  // namespace
}  // namespace rdmaready
