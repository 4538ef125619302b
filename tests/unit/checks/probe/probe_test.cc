// SPDX-License-Identifier: Apache-2.0
#include "checks/probe/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "checks/readiness.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// What ksmbd of Linux 6.12 answers on RoCE, with the newer server's minima.
ProbeResult GoodSmb() {
  ProbeResult result{.protocol = Protocol::kSmb,
                     .target = "fs1",
                     .address = "10.0.0.9",
                     .port_number = 445,
                     .local_port = "rxe0/1",
                     .transport = "roce-v2"};
  for (const char* step : {"resolve", "route", "tcp-connect", "tcp-negotiate", "rdma-connect", "smbd-negotiate",
                           "smb2-negotiate", "smbd-minimum"}) {
    result.steps.push_back({.name = step, .outcome = StepOutcome::kDone});
  }
  result.answers.tcp = {.dialect = "3.1.1", .multi_channel = true};
  result.answers.rdma = {.ird = 8, .ord = 1};
  result.answers.smb = {.smbd_credits_granted = 254,
                        .smbd_max_read_write = 8'388'608,
                        .smbd_max_receive = 1364,
                        .smbd_max_fragmented = 173'910,
                        .dialect = "3.1.1",
                        .multi_channel = true,
                        .signing = SmbAnswers::Signing::kEnabled,
                        .rdma_transform = false,
                        .max_read = 4'194'304,
                        .max_write = 4'194'304,
                        .io_size = 4'194'304,
                        .smbd_minimum = SmbAnswers::Minimum::kAccepted};
  return result;
}

// The walk ended at that step: what came after it was not reached, and told nothing.
void FailAt(ProbeResult& result, std::string_view name, Failure failure) {
  auto step = std::ranges::find(result.steps, name, &ProbeStep::name);
  step->outcome = StepOutcome::kFailed;
  step->failure = std::move(failure);
  for (++step; step != result.steps.end(); ++step) step->outcome = StepOutcome::kNotReached;
}

// What a walk that ended before it connected by RDMA was not told.
void ForgetRdma(ProbeResult& result) {
  result.answers.rdma = {};
  result.answers.smb = {};
}

std::map<std::string, Finding> ById(const ProbeResult& result) {
  std::map<std::string, Finding> findings;
  for (const Finding& finding : JudgeProbe(result)) findings[finding.id] = finding;
  return findings;
}

// What a person is told of, in the order of the report.
std::vector<std::string> Trouble(const ProbeResult& result) {
  std::vector<std::string> ids;
  for (const Finding& finding : JudgeProbe(result)) {
    if (finding.outcome != Outcome::kPass && finding.hidden_by.empty()) ids.push_back(finding.id);
  }
  return ids;
}

using Ids = std::vector<std::string>;

TEST(ProbeChecks, OfAGoodServerAllPass) {
  const std::vector<Finding> findings = JudgeProbe(GoodSmb());
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.outcome, Outcome::kPass) << finding.id << ": " << finding.observed;
    EXPECT_EQ(finding.subject, "smb fs1");
    EXPECT_EQ(finding.scope, Scope::kTarget);
    EXPECT_EQ(finding.rung, Rung::kServer);
    EXPECT_FALSE(finding.source.empty()) << finding.id;
    EXPECT_THAT(finding.fix, IsEmpty());
  }
  EXPECT_EQ(ReadinessOfProbe(findings), Readiness::kReady);
}

// Each row breaks one thing; one line is red, and it is that one.
TEST(ProbeChecks, EachFailsForItsOwnReason) {
  const std::map<std::string, std::function<void(ProbeResult&)>> broken{
      {"server.address",
       [](ProbeResult& r) {
         FailAt(r, "resolve", {FailureKind::kUnreachable, "resolve fs1: Name or service not known"});
         r.answers = {};
       }},
      {"server.route",
       [](ProbeResult& r) {
         auto& steps = r.steps;
         for (ProbeStep& step : steps) {
           if (step.name == "route")
             step = {"route", StepOutcome::kFailed, {FailureKind::kSetup, "no RDMA port"}};
           if (step.name.starts_with("rdma") || step.name.starts_with("smb"))
             step.outcome = StepOutcome::kNotReached;
         }
         ForgetRdma(r);
       }},
      {"server.tcp-445",
       [](ProbeResult& r) {
         FailAt(r, "tcp-connect", {FailureKind::kRejected, "connect: Connection refused"});
         r.answers = {};
       }},
      {"server.smb3", [](ProbeResult& r) { r.answers.tcp.dialect = "2.1"; }},
      {"server.multichannel", [](ProbeResult& r) { r.answers.tcp.multi_channel = false; }},
      {"server.rdma-listener",
       [](ProbeResult& r) {
         FailAt(r, "rdma-connect", {FailureKind::kRejected, "rejected by the peer (reason 8)"});
         ForgetRdma(r);
         r.answers.rdma.refusal = {.kind = RdmaRefusal::Kind::kNoListener};
       }},
      {"server.rdma-depth", [](ProbeResult& r) { r.answers.rdma.ird = 0; }},
      {"server.smbd-negotiate",
       [](ProbeResult& r) {
         FailAt(r, "smbd-negotiate", {FailureKind::kRejected, "SMB Direct: the peer refused the negotiation"});
         r.answers.smb = {};
       }},
      {"server.smb2-over-rdma",
       [](ProbeResult& r) {
         FailAt(r, "smb2-negotiate", {FailureKind::kStalled, "no answer in time"});
         r.answers.smb = {.smbd_credits_granted = 254};
       }},
      {"server.signing", [](ProbeResult& r) { r.answers.smb.signing = SmbAnswers::Signing::kRequired; }},
      {"server.io-size", [](ProbeResult& r) { r.answers.smb.io_size = 524'288; }},
      {"server.smbd-minimum",
       [](ProbeResult& r) { r.answers.smb.smbd_minimum = SmbAnswers::Minimum::kDropped; }},
  };
  for (const ProbeCheck& check : AllProbeChecks()) {
    if (!check.id.starts_with("server.")) continue;
    const auto row = broken.find(std::string(check.id));
    ASSERT_NE(row, broken.end()) << check.id << " has no case that shows that it can fail";
    ProbeResult result = GoodSmb();
    row->second(result);
    EXPECT_EQ(Trouble(result), Ids{row->first});
    const Finding finding = ById(result).at(row->first);
    EXPECT_EQ(finding.outcome, check.blocking ? Outcome::kFail : Outcome::kWarn) << check.id;
    EXPECT_FALSE(finding.fix.empty()) << check.id;
    EXPECT_EQ(finding.fix.find_first_of("{}"), std::string::npos) << finding.fix;
    EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), check.blocking ? Readiness::kNotReady : Readiness::kReady);
  }
}

TEST(ProbeChecks, TellASilentServerFromOneThatHangsUpAndFromOneThatWasNotAsked) {
  const auto minimum = [](SmbAnswers::Minimum told) {
    ProbeResult result = GoodSmb();
    result.answers.smb.smbd_minimum = told;
    return ById(result).at("server.smbd-minimum");
  };
  EXPECT_EQ(minimum(SmbAnswers::Minimum::kSilent).outcome, Outcome::kWarn);
  EXPECT_THAT(minimum(SmbAnswers::Minimum::kSilent).observed, HasSubstr("no answer"));
  EXPECT_THAT(minimum(SmbAnswers::Minimum::kDropped).observed, HasSubstr("dropped"));
  EXPECT_EQ(minimum(SmbAnswers::Minimum::kUnknown).outcome, Outcome::kUnknown);
}

TEST(ProbeChecks, OfNothingAtAllAreNeverReady) {
  EXPECT_NE(ReadinessOfProbe(JudgeProbe({.protocol = Protocol::kSmb, .target = "fs1"})), Readiness::kReady);
  EXPECT_THAT(JudgeProbe({}), IsEmpty());
  EXPECT_EQ(ReadinessOfProbe({}), Readiness::kUndetermined);
}

TEST(ProbeChecks, DoNotHideWhatWorksBehindAClosedPort) {
  ProbeResult result = GoodSmb();
  result.steps[2].outcome = StepOutcome::kFailed;
  result.steps[2].failure = {FailureKind::kRejected, "Connection refused"};
  result.steps[3].outcome = StepOutcome::kNotReached;
  result.answers.tcp = {};
  const auto findings = ById(result);
  EXPECT_EQ(findings.at("server.smb2-over-rdma").outcome, Outcome::kPass);
  EXPECT_EQ(findings.at("server.multichannel").outcome, Outcome::kPass);  // told over RDMA
  EXPECT_EQ(findings.at("server.smb3").hidden_by, "server.tcp-445");
  EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kNotReady);
}

TEST(ProbeChecks, NameWhyNobodyListens) {
  ProbeResult result = GoodSmb();
  FailAt(result, "rdma-connect", {FailureKind::kRejected, "connect to 10.0.0.9 port 445: rejected (reason 8)"});
  result.answers.rdma.refusal = {.kind = RdmaRefusal::Kind::kNoListener};
  const Finding nobody = ById(result).at("server.rdma-listener");
  EXPECT_THAT(nobody.observed, HasSubstr("no RDMA listener"));
  EXPECT_THAT(WhatToDo(nobody), HasSubstr("CONFIG_SMB_SERVER_SMBDIRECT"));
  EXPECT_THAT(WhatToDo(nobody), HasSubstr("edition"));
  result.answers.rdma.refusal = {.kind = RdmaRefusal::Kind::kNoAnswer};
  const Finding silent = ById(result).at("server.rdma-listener");
  EXPECT_THAT(silent.observed, HasSubstr("TCP is answered there and RDMA is not"));
  EXPECT_THAT(WhatToDo(silent), HasSubstr("4791"));
  result.port_number = 5445;
  result.answers.rdma.local_iwarp = true;
  const Finding iwarp = ById(result).at("server.rdma-listener");
  EXPECT_THAT(WhatToDo(iwarp), HasSubstr("TCP port 5445 (iWARP)"));
  EXPECT_THAT(WhatToDo(iwarp), Not(HasSubstr("4791")));
}

TEST(ProbeChecks, BlameNoServerForWhatThisHostLacks) {
  const std::map<std::string, std::string> steps{{"tcp-connect", "server.tcp-445"},
                                                 {"tcp-negotiate", "server.smb3"},
                                                 {"rdma-connect", "server.rdma-listener"},
                                                 {"smbd-negotiate", "server.smbd-negotiate"},
                                                 {"smb2-negotiate", "server.smb2-over-rdma"}};
  for (const auto& [step, id] : steps) {
    ProbeResult result = GoodSmb();
    FailAt(result, step, {FailureKind::kSetup, "register 64 KiB: Cannot allocate memory"});
    ForgetRdma(result);
    if (step.starts_with("tcp")) result.answers.tcp = {};
    const Finding finding = ById(result).at(id);
    EXPECT_EQ(finding.outcome, Outcome::kUnknown) << id;
    EXPECT_EQ(finding.observed, "register 64 KiB: Cannot allocate memory");
    EXPECT_THAT(WhatToDo(finding), HasSubstr("LimitMEMLOCK")) << id;
    EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kUndetermined) << id;
  }
}

TEST(ProbeChecks, WarnOfAServerOnThePortOfIwarp) {
  ProbeResult result = GoodSmb();
  result.port_number = 5445;
  EXPECT_EQ(Trouble(result), Ids{"server.rdma-listener"});
  EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kReady);
  result.transport = "iwarp";
  EXPECT_THAT(Trouble(result), IsEmpty());
}

TEST(ProbeChecks, SayWhomSigningConcerns) {
  ProbeResult result = GoodSmb();
  result.answers.smb.signing = SmbAnswers::Signing::kRequired;
  EXPECT_THAT(ById(result).at("server.signing").observed, HasSubstr("no client places data by RDMA"));
  result.answers.smb.rdma_transform = true;
  EXPECT_THAT(ById(result).at("server.signing").observed, HasSubstr("only newer Windows clients"));
}

TEST(ProbeChecks, OfACallerWhoGaveUpAreUnknown) {
  ProbeResult result = GoodSmb();
  FailAt(result, "rdma-connect", {FailureKind::kCancelled, "the caller gave up"});
  ForgetRdma(result);
  EXPECT_EQ(ById(result).at("server.rdma-listener").outcome, Outcome::kUnknown);
  EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kUndetermined);
}

TEST(ProbeChecks, OfAWalkThatHadNoTimeLeftAreUnknownAndSaySo) {
  ProbeResult result = GoodSmb();
  FailAt(result, "rdma-connect", {FailureKind::kStalled, "connect: no answer in time"});
  ForgetRdma(result);
  EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kNotReady) << "it had its whole time";
  result.answers.time_up = "rdma-connect";
  const auto findings = ById(result);
  EXPECT_EQ(findings.at("server.rdma-listener").outcome, Outcome::kUnknown);
  EXPECT_EQ(findings.at("server.rdma-listener").observed,
            "connect: no answer in time (the time of the probe was up)");
  EXPECT_THAT(WhatToDo(findings.at("server.rdma-listener")), HasSubstr("probe smb fs1 --timeout 2m"));
  EXPECT_EQ(JudgeStep({.result = result}, "smb2-negotiate", "", "", "").observed,
            "not tried: the time of the probe was up");
  EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kUndetermined);
}

TEST(ProbeChecks, QuoteWhatAServerIsCalled) {
  ProbeResult result = GoodSmb();
  result.target = "fs1; reboot";
  FailAt(result, "resolve", {FailureKind::kUnreachable, "no"});
  EXPECT_THAT(WhatToDo(ById(result).at("server.address")), HasSubstr("getent hosts 'fs1; reboot'"));
}

TEST(ProbeChecks, AProbeThatWasNotMadeIsUnknownAndInTheWay) {
  const Finding finding = NotProbed(Protocol::kSmb, "fs1", "the port is busy");
  EXPECT_EQ(finding.id, "server.smb2-over-rdma");
  EXPECT_TRUE(finding.blocking);
  EXPECT_EQ(ReadinessOfProbe({finding}), Readiness::kUndetermined);
  EXPECT_THAT(finding.observed, HasSubstr("the port is busy"));
}

TEST(ProbeRegistry, HoldsTogether) {
  std::set<std::string_view> seen;
  std::set<std::string_view> proofs;
  for (const ProbeCheck& check : AllProbeChecks()) {
    EXPECT_FALSE(check.title.empty() || check.why.empty() || check.fix.empty()) << check.id;
    EXPECT_FALSE(check.title.ends_with('.')) << check.id;
    EXPECT_EQ(GeneralFix(check).find_first_of("{}\n"), std::string::npos) << check.id;
    for (const std::string_view id : check.depends_on)
      EXPECT_TRUE(seen.contains(id)) << check.id << " on " << id;
    EXPECT_TRUE(seen.insert(check.id).second) << check.id;
    if (check.proof) {
      EXPECT_TRUE(proofs.insert(check.id.substr(0, check.id.find('.'))).second) << check.id;
    }
    EXPECT_TRUE(!check.proof || check.blocking) << check.id;
  }
  EXPECT_TRUE(proofs.contains("server"));
}

// One host that is checked up to a server leaves out what needs a second one.
TEST(ProbeReadiness, OneHostAloneIsJudgedWithoutARing) {
  Report report{.level = Rung::kServer, .hosts = {{.host = "1"}}};
  report.hosts[0].findings = JudgeProbe(GoodSmb());
  report.hosts[0].findings.push_back(
      {.id = "link.state", .rung = Rung::kHost, .outcome = Outcome::kPass, .blocking = true});
  report.hosts[0].findings.push_back(
      {.id = "loopback.send-1k", .rung = Rung::kLoopback, .outcome = Outcome::kPass, .blocking = true});
  Conclude(report);
  EXPECT_EQ(report.verdict, Readiness::kReady);
  EXPECT_EQ(OutcomeOn(report.hosts[0].ladder, Rung::kPeer), RungOutcome::kNotRun);
  EXPECT_THAT(Headline(report), HasSubstr("there was one"));
  report.hosts.push_back(report.hosts[0]);
  report.hosts[1].host = "2";
  Conclude(report);
  EXPECT_EQ(report.verdict, Readiness::kUndetermined);
}

}  // namespace
}  // namespace rdmaready
