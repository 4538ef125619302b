// SPDX-License-Identifier: Apache-2.0
// A plan keeps what it promises, under built-in profiles and under those that extend one. Each check that a
// step says it repairs passes on the host after the plan, and there the next plan has nothing to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checks/judge.h"
#include "checks/plan/plan.h"
#include "checks/setting/table.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "tests/property/hosts.h"
#include "tests/property/plan_hosts.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kAllClaimSeeds = 10'000;
constexpr std::uint64_t kSomeClaimSeeds = 400;
constexpr int kMostBrokenClaims = 20;

// The finding of a check at the place of a step; empty where it passes, or does not apply.
std::string StillWrong(const PlanStep& step, const std::string& id, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    const bool of_host = finding.scope == Scope::kHost || step.subject == "host";
    const bool here = of_host || SamePlace(step.subject, finding.subject);
    // A setting of the host promises nothing about a port of which the check is not known.
    const bool wrong = of_host ? finding.outcome == Outcome::kFail || finding.outcome == Outcome::kWarn
                               : CallsForAction(finding.outcome);
    if (finding.id == id && here && wrong && finding.hidden_by.empty())
      return finding.subject + ": " + finding.observed;
  }
  return {};
}

struct ClaimTally {
  std::uint64_t claims = 0;
  std::uint64_t derived = 0;
};

void TryClaims(std::uint64_t seed, ClaimTally& tally) {
  property::Chance chance(seed);
  const std::span<const std::string_view> drivers = property::PlanDrivers();
  const property::PlanHost made = property::MakePlanHost(drivers[seed / 2 % drivers.size()], chance);
  const bool derives = seed % 2 == 0;
  const Profile profile = derives ? property::MakeDerivedProfile(chance) : property::MakePlanProfile(chance);
  tally.derived += derives ? 1U : 0U;
  SCOPED_TRACE("seed " + std::to_string(seed) + ", driver " + made.driver + ", profile " + profile.name);
  const Plan plan = MakePlan(HostParts(made.facts, profile));
  Facts after = made.facts;
  for (const PlanStep& step : plan.steps)
    ASSERT_EQ(WriteSetting(after, step.object, step.to), "") << TextOf(step.object);
  const Plan again = MakePlan(HostParts(after, profile));
  EXPECT_TRUE(again.steps.empty()) << TextOf(again.steps.front().object) << ": " << again.steps.front().from
                                   << " -> " << again.steps.front().to;
  const std::vector<Finding> findings = JudgeHost(after, profile);
  for (const PlanStep& step : plan.steps) {
    for (const std::string& id : step.mends) {
      ++tally.claims;
      EXPECT_EQ(StillWrong(step, id, findings), "")
          << id << " by " << TextOf(step.object) << ": " << step.from << " -> " << step.to;
    }
  }
}

TEST(Claims, HoldOnTheHostAfterThePlan) {
  const std::uint64_t seeds = property::ShareToTry().all ? kAllClaimSeeds : kSomeClaimSeeds;
  ClaimTally tally;
  const testing::TestResult& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
  std::uint64_t seed = 0;
  while (seed < seeds && result.total_part_count() < kMostBrokenClaims) TryClaims(++seed, tally);
  GTEST_LOG_(INFO) << seed << " seeds: " << tally.claims << " claims, " << tally.derived << " derived profiles";
  EXPECT_GT(tally.claims, seed);
}

}  // namespace
}  // namespace rdmaready
