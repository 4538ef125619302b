// SPDX-License-Identifier: Apache-2.0
#include "checks/probe/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "checks/readiness.h"

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
  result.values = {{"tcp-dialect", "3.1.1"},
                   {"tcp-multi-channel", "yes"},
                   {"rdma-ird", "8"},
                   {"rdma-ord", "1"},
                   {"smbd-credits-granted", "254"},
                   {"smbd-max-read-write", "8388608"},
                   {"smbd-max-receive", "1364"},
                   {"smbd-max-fragmented", "173910"},
                   {"smb2-dialect", "3.1.1"},
                   {"smb2-multi-channel", "yes"},
                   {"smb2-signing", "enabled"},
                   {"smb2-rdma-transform", "no"},
                   {"smb2-max-read", "4194304"},
                   {"smb2-max-write", "4194304"},
                   {"io-size", "4194304"},
                   {"smbd-accepts-minimum", "yes"}};
  return result;
}

void Set(ProbeResult& result, std::string_view name, std::string value) {
  const auto found = std::ranges::find(result.values, name, &ProbeValue::name);
  if (found != result.values.end()) {
    found->value = std::move(value);
  } else {
    result.values.push_back({std::string(name), std::move(value)});
  }
}

// The walk ended at that step: what came after it was not reached, and told nothing.
void FailAt(ProbeResult& result, std::string_view name, Failure failure) {
  auto step = std::ranges::find(result.steps, name, &ProbeStep::name);
  step->outcome = StepOutcome::kFailed;
  step->failure = std::move(failure);
  for (++step; step != result.steps.end(); ++step) step->outcome = StepOutcome::kNotReached;
}

void Forget(ProbeResult& result, std::string_view prefix) {
  std::erase_if(result.values, [=](const ProbeValue& value) { return value.name.starts_with(prefix); });
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
         r.values.clear();
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
         for (const char* prefix : {"rdma", "smb", "io"}) Forget(r, prefix);
       }},
      {"server.tcp-445",
       [](ProbeResult& r) {
         FailAt(r, "tcp-connect", {FailureKind::kRejected, "connect: Connection refused"});
         r.values.clear();
       }},
      {"server.smb3", [](ProbeResult& r) { Set(r, "tcp-dialect", "2.1"); }},
      {"server.multichannel", [](ProbeResult& r) { Set(r, "tcp-multi-channel", "no"); }},
      {"server.rdma-listener",
       [](ProbeResult& r) {
         FailAt(r, "rdma-connect", {FailureKind::kRejected, "rejected by the peer (reason 8)"});
         for (const char* prefix : {"rdma", "smb", "io"}) Forget(r, prefix);
         Set(r, "rdma-refusal", "no-listener");
       }},
      {"server.rdma-depth", [](ProbeResult& r) { Set(r, "rdma-ird", "0"); }},
      {"server.smbd-negotiate",
       [](ProbeResult& r) {
         FailAt(r, "smbd-negotiate", {FailureKind::kRejected, "SMB Direct: the peer refused the negotiation"});
         for (const char* prefix : {"smb", "io"}) Forget(r, prefix);
       }},
      {"server.smb2-over-rdma",
       [](ProbeResult& r) {
         FailAt(r, "smb2-negotiate", {FailureKind::kStalled, "no answer in time"});
         for (const char* prefix : {"smb2", "io", "smbd-accepts"}) Forget(r, prefix);
       }},
      {"server.signing", [](ProbeResult& r) { Set(r, "smb2-signing", "required"); }},
      {"server.io-size", [](ProbeResult& r) { Set(r, "io-size", "524288"); }},
      {"server.smbd-minimum", [](ProbeResult& r) { Set(r, "smbd-accepts-minimum", "no"); }},
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
  const auto minimum = [](const char* accepts) {
    ProbeResult result = GoodSmb();
    Forget(result, "smbd-accepts");
    if (accepts) Set(result, "smbd-accepts-minimum", accepts);
    return ById(result).at("server.smbd-minimum");
  };
  EXPECT_EQ(minimum("silent").outcome, Outcome::kWarn);
  EXPECT_THAT(minimum("silent").observed, HasSubstr("no answer"));
  EXPECT_THAT(minimum("no").observed, HasSubstr("dropped"));
  EXPECT_EQ(minimum(nullptr).outcome, Outcome::kUnknown);
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
  Forget(result, "tcp");
  const auto findings = ById(result);
  EXPECT_EQ(findings.at("server.smb2-over-rdma").outcome, Outcome::kPass);
  EXPECT_EQ(findings.at("server.multichannel").outcome, Outcome::kPass);  // told over RDMA
  EXPECT_EQ(findings.at("server.smb3").hidden_by, "server.tcp-445");
  EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kNotReady);
}

TEST(ProbeChecks, NameWhyNobodyListens) {
  ProbeResult result = GoodSmb();
  FailAt(result, "rdma-connect", {FailureKind::kRejected, "connect to 10.0.0.9 port 445: rejected (reason 8)"});
  Set(result, "rdma-refusal", "no-listener");
  const Finding nobody = ById(result).at("server.rdma-listener");
  EXPECT_THAT(nobody.observed, HasSubstr("no RDMA listener"));
  EXPECT_THAT(nobody.fix, HasSubstr("CONFIG_SMB_SERVER_SMBDIRECT"));
  EXPECT_THAT(nobody.fix, HasSubstr("edition"));
  Set(result, "rdma-refusal", "no-answer");
  const Finding silent = ById(result).at("server.rdma-listener");
  EXPECT_THAT(silent.observed, HasSubstr("TCP is answered there and RDMA is not"));
  EXPECT_THAT(silent.fix, HasSubstr("4791"));
  result.port_number = 5445;
  Set(result, "local-iwarp", "yes");
  const Finding iwarp = ById(result).at("server.rdma-listener");
  EXPECT_THAT(iwarp.fix, HasSubstr("TCP port 5445 (iWARP)"));
  EXPECT_THAT(iwarp.fix, Not(HasSubstr("4791")));
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
    for (const char* prefix : {"rdma", "smb", "io"}) Forget(result, prefix);
    if (step.starts_with("tcp")) Forget(result, "tcp");
    const Finding finding = ById(result).at(id);
    EXPECT_EQ(finding.outcome, Outcome::kUnknown) << id;
    EXPECT_EQ(finding.observed, "register 64 KiB: Cannot allocate memory");
    EXPECT_THAT(finding.fix, HasSubstr("LimitMEMLOCK")) << id;
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
  Set(result, "smb2-signing", "required");
  EXPECT_THAT(ById(result).at("server.signing").observed, HasSubstr("no client places data by RDMA"));
  Set(result, "smb2-rdma-transform", "yes");
  EXPECT_THAT(ById(result).at("server.signing").observed, HasSubstr("only newer Windows clients"));
}

TEST(ProbeChecks, OfACallerWhoGaveUpAreUnknown) {
  ProbeResult result = GoodSmb();
  FailAt(result, "rdma-connect", {FailureKind::kCancelled, "the caller gave up"});
  for (const char* prefix : {"rdma", "smb", "io"}) Forget(result, prefix);
  EXPECT_EQ(ById(result).at("server.rdma-listener").outcome, Outcome::kUnknown);
  EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kUndetermined);
}

TEST(ProbeChecks, OfAWalkThatHadNoTimeLeftAreUnknownAndSaySo) {
  ProbeResult result = GoodSmb();
  FailAt(result, "rdma-connect", {FailureKind::kStalled, "connect: no answer in time"});
  for (const char* prefix : {"rdma", "smb", "io"}) Forget(result, prefix);
  EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kNotReady) << "it had its whole time";
  Set(result, "time-up", "rdma-connect");
  const auto findings = ById(result);
  EXPECT_EQ(findings.at("server.rdma-listener").outcome, Outcome::kUnknown);
  EXPECT_EQ(findings.at("server.rdma-listener").observed,
            "connect: no answer in time (the time of the probe was up)");
  EXPECT_THAT(findings.at("server.rdma-listener").fix, HasSubstr("probe smb fs1 --timeout 2m"));
  EXPECT_EQ(JudgeStep({.result = result}, "smb2-negotiate", "", "", "").observed,
            "not tried: the time of the probe was up");
  EXPECT_EQ(ReadinessOfProbe(JudgeProbe(result)), Readiness::kUndetermined);
}

TEST(ProbeChecks, QuoteWhatAServerIsCalled) {
  ProbeResult result = GoodSmb();
  result.target = "fs1; reboot";
  FailAt(result, "resolve", {FailureKind::kUnreachable, "no"});
  EXPECT_THAT(ById(result).at("server.address").fix, HasSubstr("getent hosts 'fs1; reboot'"));
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
