// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "checks/catalog.h"
#include "checks/judge.h"
#include "checks/words/names.h"
#include "tests/unit/checks/ask_alone.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

TEST(CheckCases, SayWhatTheTableSays) {
  for (const CheckCase& row : AllCheckCases()) {
    SCOPED_TRACE(std::string(row.id) + ": " + std::string(row.name));
    const Check* check = FindCheck(row.id);
    ASSERT_NE(check, nullptr);
    const Verdict verdict = AskAlone(*check, row);
    EXPECT_EQ(Name(verdict.outcome), Name(row.expected)) << verdict.observed;
    EXPECT_NE(verdict.observed.find(row.observed), std::string::npos) << verdict.observed;
    EXPECT_THAT(OneLine(verdict.fix.remedy()), testing::HasSubstr(row.extra.fix));
  }
}

// What a check says alone and what the judging of a whole host finds is the same where nothing hides it.
TEST(CheckCases, OfTheUnchangedHostAreWhatItsFindingsSay) {
  const Facts good = GoodHost();
  const std::vector<Finding> findings = JudgeHost(good, VirtualFabricProfile());
  std::set<std::string_view> seen;
  for (const CheckCase& row : AllCheckCases()) {
    if (row.host != good || row.extra.profile != VirtualFabricProfile()) continue;
    const auto finding = std::ranges::find(findings, row.id, &Finding::id);
    if (finding == findings.end()) continue;  // needs a second host
    EXPECT_EQ(Name(finding->outcome), Name(row.expected)) << row.id << ": " << finding->observed;
    EXPECT_NE(finding->observed.find(row.observed), std::string::npos) << row.id << ": " << finding->observed;
    seen.insert(row.id);
  }
  EXPECT_GT(seen.size(), AllChecks().size() / 2);
}

TEST(CheckCases, GiveEveryJudgedAnswerItsSourceAndExpectation) {
  for (const CheckCase& row : AllCheckCases()) {
    SCOPED_TRACE(std::string(row.id) + ": " + std::string(row.name));
    const Verdict verdict = AskAlone(*FindCheck(row.id), row);
    EXPECT_FALSE(verdict.observed.empty());
    if (verdict.outcome == Outcome::kNotApplicable) continue;
    EXPECT_FALSE(verdict.source.empty());
    EXPECT_FALSE(verdict.expected.empty());
  }
}

TEST(CheckCases, LeaveNoPlaceholderInAFixAndKeepItOnOneLine) {
  for (const CheckCase& row : AllCheckCases()) {
    SCOPED_TRACE(std::string(row.id) + ": " + std::string(row.name));
    const std::string fix = OneLine(AskAlone(*FindCheck(row.id), row).fix.remedy());
    EXPECT_FALSE(fix.empty());
    EXPECT_EQ(fix.find_first_of("{}\n\r"), std::string::npos) << fix;
  }
}

TEST(CheckCases, ShowEveryCheckPassingFailingAndUnknown) {
  std::set<std::pair<std::string_view, Outcome>> shown;
  for (const CheckCase& row : AllCheckCases()) shown.emplace(row.id, row.expected);
  for (const Check& check : AllChecks()) {
    for (const Outcome outcome : {Outcome::kPass, Outcome::kFail, Outcome::kUnknown}) {
      EXPECT_TRUE(shown.contains({check.id, outcome})) << check.id << " has no case that is " << Name(outcome);
    }
  }
}

}  // namespace
}  // namespace rdmaready
