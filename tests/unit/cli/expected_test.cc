// SPDX-License-Identifier: Apache-2.0
#include "cli/expected.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready {
namespace {

using Found = ExpectedFinding::Outcome;
using Verdict = ExpectedOfHosts::Verdict;
using testing::ElementsAre;
using testing::IsEmpty;

Finding PfcOff() {
  Finding finding{.id = "pfc.lossless-priority",
                  .scope = Scope::kPort,
                  .subject = "mlx5_0/1 ens1f0np0",
                  .outcome = Outcome::kFail,
                  .observed = "PFC off",
                  .expected = "PFC on 3"};
  finding.remedy = Remedy{.steps = {{.command = "dcb pfc set dev ens1f0np0 prio-pfc 3:on"}}};
  return finding;
}

Report OneHost(std::vector<Finding> findings, Readiness verdict = Readiness::kNotReady) {
  Report report{.verdict = verdict};
  report.hosts.push_back({.host = "a", .verdict = verdict, .findings = std::move(findings)});
  return report;
}

bool Holds(const ExpectedFinding& wanted, const Finding& finding = PfcOff()) {
  return MismatchesOf({.findings = {wanted}}, OneHost({finding})).empty();
}

TEST(Expected, NarrowsAFindingByEachKey) {
  EXPECT_TRUE(Holds({.check = "pfc.lossless-priority"}));
  EXPECT_TRUE(Holds({.check = "pfc.*", .outcome = Found::kFail, .port = "ens1f0*", .says = "prio-PFC 3:on"}));
  EXPECT_TRUE(Holds({.check = "pfc.*", .port = "mlx5_0"}));
  EXPECT_TRUE(Holds({.check = "pfc.*", .port = "mlx5_0/1", .says = "pfc off"}));
  EXPECT_FALSE(Holds({.check = "ets.*"}));
  EXPECT_FALSE(Holds({.check = "pfc.*", .outcome = Found::kPass}));
  EXPECT_FALSE(Holds({.check = "pfc.*", .port = "mlx5_1"}));
  EXPECT_FALSE(Holds({.check = "pfc.*", .says = "PFC on 4"}));
}

TEST(Expected, ComparesEveryOutcome) {
  Finding finding = PfcOff();
  for (const auto& [wanted, outcome] :
       {std::pair(Found::kPass, Outcome::kPass), std::pair(Found::kWarn, Outcome::kWarn),
        std::pair(Found::kFail, Outcome::kFail), std::pair(Found::kUnknown, Outcome::kUnknown),
        std::pair(Found::kNotApplicable, Outcome::kNotApplicable)}) {
    finding.outcome = outcome;
    EXPECT_TRUE(Holds({.check = "pfc.*", .outcome = wanted}, finding));
    const bool said = outcome != Outcome::kPass && outcome != Outcome::kNotApplicable;
    EXPECT_EQ(Holds({.check = "pfc.*"}, finding), said);
  }
}

TEST(Expected, IgnoresAFindingThatFollowsFromAnother) {
  Finding hidden = PfcOff();
  hidden.hidden_by = "drv.dcb-capable";
  EXPECT_FALSE(Holds({.check = "pfc.*"}, hidden));
  EXPECT_THAT(MismatchesOf({.not_said = {"pfc.*"}, .nothing_else = true}, OneHost({hidden})), IsEmpty());
}

TEST(Expected, TakesAWaivedFindingForNone) {
  Finding finding = PfcOff();
  finding.waived = Waived{};
  const Report report = OneHost({finding}, Readiness::kReady);
  EXPECT_THAT(MismatchesOf({.not_said = {"pfc.*"}, .nothing_else = true}, report), IsEmpty());
  EXPECT_FALSE(Holds({.check = "pfc.*"}, finding));
}

TEST(Expected, ShowsWhatWasWantedAndSeen) {
  const ExpectedOfHosts expected{
      .verdict = Verdict::kReady,
      .findings = {{.check = "pfc.lossless-priority", .outcome = Found::kWarn, .port = "ens1f0np0"},
                   {.check = "ets.map", .says = "TC 0"}}};
  EXPECT_THAT(
      MismatchesOf(expected, OneHost({PfcOff()})),
      ElementsAre(Mismatch{{"verdict ready"}, {"verdict not-ready"}},
                  Mismatch{{"pfc.lossless-priority warn at ens1f0np0"},
                           {"pfc.lossless-priority fail at mlx5_0/1 ens1f0np0: PFC off"}},
                  Mismatch{{"ets.map fail, warn or unknown, says \"TC 0\""}, {"no finding of ets.map"}}));
}

TEST(Expected, ShowsFindingsThatMustNotBeSaid) {
  Finding fine = PfcOff();
  fine.outcome = Outcome::kPass;
  EXPECT_THAT(MismatchesOf({.not_said = {"pfc.*"}}, OneHost({fine})), IsEmpty());
  EXPECT_THAT(MismatchesOf({.not_said = {"ip.*", "pfc.*"}}, OneHost({PfcOff()})),
              ElementsAre(Mismatch{{"nothing of pfc.*"},
                                   {"pfc.lossless-priority fail at mlx5_0/1 ens1f0np0: PFC off"}}));
  EXPECT_THAT(MismatchesOf({.nothing_else = true}, OneHost({PfcOff()})), testing::SizeIs(1));
  EXPECT_THAT(MismatchesOf({.findings = {{.check = "pfc.*"}}, .nothing_else = true}, OneHost({PfcOff()})),
              IsEmpty());
}

TEST(Expected, LooksAtOneOfSeveralHosts) {
  Report report = OneHost({PfcOff()});
  report.hosts.push_back({.host = "b", .verdict = Readiness::kReady});
  EXPECT_THAT(MismatchesOf({.host = "b", .verdict = Verdict::kReady, .not_said = {"*"}}, report), IsEmpty());
  EXPECT_THAT(MismatchesOf({.not_said = {"*"}}, report),
              ElementsAre(Mismatch{{"nothing of *"},
                                   {"a: pfc.lossless-priority fail at mlx5_0/1 ens1f0np0: PFC off"}}));
}

TEST(Expected, FoldsManyLines) {
  const std::vector<Finding> many(9, PfcOff());
  const std::vector<Mismatch> differences = MismatchesOf({.not_said = {"pfc.*"}}, OneHost(many));
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences.front().seen.size(), 5U);
  EXPECT_EQ(differences.front().seen.back(), "and 5 more");
}

}  // namespace
}  // namespace rdmaready
