// SPDX-License-Identifier: Apache-2.0
#include "checks/hiding.h"

#include <gtest/gtest.h>

#include "checks/words/fix.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSubject = "rxe0/1 dcb0";

Finding Earlier(Outcome outcome, std::string_view subject = kSubject) {
  return {.id = "earlier",
          .scope = Scope::kPort,
          .subject = std::string(subject),
          .outcome = outcome,
          .blocking = true};
}

Finding Later(Outcome outcome, Scope scope = Scope::kPort) {
  return {.id = "later", .scope = scope, .outcome = outcome, .blocking = true};
}

bool Hides(Outcome dependency, Outcome outcome, Scope scope) {
  const std::vector<Finding> findings{Earlier(dependency)};
  return HidingFinding({"earlier"}, Later(outcome, scope), {.findings = findings, .subject = kSubject}) !=
         nullptr;
}

TEST(Hiding, FollowsItsTruthTable) {
  for (const Outcome outcome : {Outcome::kUnknown, Outcome::kPass, Outcome::kWarn, Outcome::kFail}) {
    for (const Scope scope : {Scope::kHost, Scope::kPort, Scope::kPair}) {
      EXPECT_TRUE(Hides(Outcome::kFail, outcome, scope));
      EXPECT_EQ(Hides(Outcome::kUnknown, outcome, scope), outcome == Outcome::kUnknown);
      EXPECT_EQ(Hides(Outcome::kWarn, outcome, scope), outcome == Outcome::kWarn && scope == Scope::kPair);
      EXPECT_FALSE(Hides(Outcome::kPass, outcome, scope));
      EXPECT_FALSE(Hides(Outcome::kNotApplicable, outcome, scope));
    }
  }
}

TEST(Hiding, LooksAtTheSameSubjectAndAtTheHost) {
  std::vector<Finding> findings{Earlier(Outcome::kFail, "rxe1/1 dcb1")};
  const Evidence evidence{.findings = findings, .subject = kSubject};
  EXPECT_EQ(HidingFinding({"earlier"}, Later(Outcome::kFail), evidence), nullptr);
  findings.front().scope = Scope::kHost;
  EXPECT_NE(HidingFinding({"earlier"}, Later(Outcome::kFail), evidence), nullptr);
}

TEST(Hiding, LooksAtTheEthernetPortsOfAnRdmaPort) {
  const std::vector<Finding> findings{Earlier(Outcome::kPass, "rxe0/1 bond0 > dcb0"),
                                      Earlier(Outcome::kFail, "rxe0/1 bond0 > dcb1")};
  for (const auto& [subject, hides] :
       {std::pair("rxe0/1 bond0", true), {"rxe0/1 bond0 > dcb1", true}, {"rxe0/1 bond0 > dcb0", false}}) {
    const Evidence evidence{.findings = findings, .subject = subject};
    EXPECT_EQ(HidingFinding({"earlier"}, Later(Outcome::kFail), evidence) != nullptr, hides) << subject;
  }
}

TEST(Hiding, PutsAWarningBehindAWarningWhereNeitherBlocks) {
  for (const bool earlier_blocks : {false, true}) {
    for (const bool later_blocks : {false, true}) {
      std::vector<Finding> findings{Earlier(Outcome::kWarn)};
      findings.front().blocking = earlier_blocks;
      const Evidence evidence{.findings = findings, .subject = kSubject};
      for (const Outcome outcome : {Outcome::kWarn, Outcome::kPass, Outcome::kUnknown}) {
        Finding later = Later(outcome);
        later.blocking = later_blocks;
        EXPECT_EQ(HidingFinding({"earlier"}, later, evidence) != nullptr,
                  outcome == Outcome::kWarn && !earlier_blocks && !later_blocks);
      }
    }
  }
}

TEST(Hiding, PutsNothingThatBlocksBehindAdvice) {
  std::vector<Finding> findings{Earlier(Outcome::kUnknown)};
  findings.front().blocking = false;
  const Evidence evidence{.findings = findings, .subject = kSubject};
  Finding later = Later(Outcome::kUnknown);
  EXPECT_EQ(HidingFinding({"earlier"}, later, evidence), nullptr);
  later.blocking = false;
  EXPECT_NE(HidingFinding({"earlier"}, later, evidence), nullptr);
}

TEST(Hiding, PutsBehindWhatIsReadWithItOnlyWhatIsUnknownToo) {
  for (const Outcome earlier : {Outcome::kUnknown, Outcome::kWarn, Outcome::kFail, Outcome::kPass}) {
    std::vector<Finding> findings{Earlier(earlier)};
    findings.front().blocking = false;
    Finding later = Later(Outcome::kUnknown);
    later.blocking = false;
    const Evidence evidence{.findings = findings, .subject = kSubject};
    EXPECT_EQ(UnknownWith({"earlier"}, later, evidence) != nullptr, earlier == Outcome::kUnknown);
  }
}

TEST(Hiding, NamesTheAdviceThatAFailureThatBlocksFollowsFrom) {
  std::vector<Finding> findings{Earlier(Outcome::kWarn)};
  findings.front().blocking = false;
  const Evidence evidence{.findings = findings, .subject = kSubject};
  EXPECT_EQ(AdvisingCause({"earlier"}, Later(Outcome::kFail), evidence), findings.data());
  EXPECT_EQ(AdvisingCause({"other"}, Later(Outcome::kFail), evidence), nullptr);
  EXPECT_EQ(AdvisingCause({"earlier"}, Later(Outcome::kWarn), evidence), nullptr);
  Finding advice = Later(Outcome::kFail);
  advice.blocking = false;
  EXPECT_EQ(AdvisingCause({"earlier"}, advice, evidence), nullptr);
  Finding chain = Later(Outcome::kFail);
  chain.id = "chain.nvme";
  EXPECT_EQ(AdvisingCause({"earlier"}, chain, evidence), nullptr);
}

TEST(Hiding, GivesTheFailureTheRepairOfTheAdviceFirst) {
  Finding failure{.id = "later", .outcome = Outcome::kFail, .blocking = true, .observed = "slow"};
  SetFix(failure, Fix("second").CheckBy("look"));
  Finding advice{.id = "earlier", .outcome = Outcome::kWarn, .observed = "one lane of four"};
  SetFix(advice, Fix("first").Because("a lane is lost").CheckBy("other"));
  TakeOver(failure, advice);
  EXPECT_EQ(failure.outcome, Outcome::kFail);
  EXPECT_EQ(failure.observed, "slow; earlier: one lane of four");
  EXPECT_EQ(failure.fix, "first");
  ASSERT_EQ(failure.remedy->steps.size(), 2U);
  EXPECT_EQ(failure.remedy->steps.back().command, "second");
  EXPECT_EQ(failure.remedy->cause, "a lane is lost");
  EXPECT_EQ(failure.remedy->check, "look");
  EXPECT_EQ(advice.outcome, Outcome::kNotApplicable);
  EXPECT_EQ(advice.hidden_by, "later");
  EXPECT_EQ(advice.observed, "said with later, which follows from it");
}

TEST(Hiding, LeadsToTheRootOfAChain) {
  std::vector<Finding> findings{Earlier(Outcome::kFail), Earlier(Outcome::kNotApplicable)};
  findings[1].id = "middle";
  findings[1].hidden_by = "earlier";
  const Finding* behind =
      HidingFinding({"middle"}, Later(Outcome::kPass), {.findings = findings, .subject = kSubject});
  ASSERT_NE(behind, nullptr);
  EXPECT_EQ(behind->id, "earlier");
}

TEST(Hiding, DoesNotRunInCirclesOnADamagedReport) {
  std::vector<Finding> findings{Earlier(Outcome::kNotApplicable)};
  findings.front().hidden_by = "earlier";
  EXPECT_EQ(HidingFinding({"earlier"}, Later(Outcome::kFail), {.findings = findings, .subject = kSubject}),
            nullptr);
}

TEST(Hiding, LeavesNothingThatLooksLikeAVerdict) {
  Finding finding{.id = "later", .outcome = Outcome::kFail, .observed = "bad", .expected = "good", .fix = "do"};
  Hide(finding, Earlier(Outcome::kFail), "b");
  EXPECT_EQ(finding.outcome, Outcome::kNotApplicable);
  EXPECT_EQ(finding.hidden_by, "earlier");
  EXPECT_EQ(finding.observed, "not judged: earlier fails on b");
  EXPECT_TRUE(finding.expected.empty());
  EXPECT_TRUE(finding.fix.empty());
}

}  // namespace
}  // namespace rdmaready
