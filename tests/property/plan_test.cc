// SPDX-License-Identifier: Apache-2.0
// What holds of every plan: made twice it is empty, no step stands before what it needs, and all of it can be
// taken back.
#include "checks/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "checks/plan/driver_effects.h"
#include "checks/setting/table.h"
#include "tests/property/hosts.h"
#include "tests/property/plan_hosts.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kAllSeeds = 10'000;
constexpr std::uint64_t kSomeSeeds = 400;

std::string StepsText(const Plan& plan) {
  std::string text;
  for (const PlanStep& step : plan.steps)
    text += "  " + TextOf(step.object) + ": " + step.from + " -> " + step.to + "\n";
  for (const PlanRefusal& refusal : plan.refusals)
    text += "  refused " + TextOf(refusal.object) + ": " + refusal.reason + "\n";
  return text;
}

// Empty, or which step was refused, or was not from what was there.
std::string Apply(Facts& host, const Plan& plan) {
  for (const PlanStep& step : plan.steps) {
    if (ValueOf(host, step.object) != step.from)
      return TextOf(step.object) + " was not " + step.from + " but " + ValueOf(host, step.object);
    if (const std::string why = WriteSetting(host, step.object, step.to); !why.empty())
      return TextOf(step.object) + ": " + why;
    if (ValueOf(host, step.object) != step.to) return TextOf(step.object) + " did not become " + step.to;
  }
  return {};
}

// As the applier does it: the steps backwards, then whatever still differs, for a few rounds.
void RollBack(Facts& host, const Plan& plan, const std::vector<Setting>& snapshot) {
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step)
    static_cast<void>(WriteSetting(host, step->object, step->from));
  for (int round = 0; round < 4 && SettingsOf(host) != snapshot; ++round) {
    for (const Setting& setting : snapshot) {
      if (ValueOf(host, setting.object) != setting.value)
        static_cast<void>(WriteSetting(host, setting.object, setting.value));
    }
  }
}

std::string Differences(const std::vector<Setting>& a, const std::vector<Setting>& b) {
  std::string text;
  for (const Setting& setting : a) {
    const auto other = std::ranges::find(b, setting.object, &Setting::object);
    if (other == b.end() || other->value != setting.value)
      text += "  " + TextOf(setting.object) + ": " + setting.value + " became " +
              (other == b.end() ? "nothing" : other->value) + "\n";
  }
  return text;
}

bool HasOneWayStep(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const PlanStep& step) { return !step.one_way.empty(); });
}

struct Tally {
  std::uint64_t steps = 0;
  std::uint64_t empty = 0;
  std::uint64_t refusals = 0;
};

void TrySeed(std::uint64_t seed, Tally& tally) {
  property::Chance chance(seed);
  const property::PlanHost made = property::MakePlanHost(chance);
  const Profile profile = property::MakePlanProfile(chance);
  const Plan plan = MakePlan(HostParts(made.facts, profile));
  SCOPED_TRACE("seed " + std::to_string(seed) + ", driver " + made.driver + ", profile " + profile.name + "\n" +
               StepsText(plan));
  tally.steps += plan.steps.size();
  tally.empty += plan.steps.empty() ? 1 : 0;
  tally.refusals += plan.refusals.size();
  std::set<SettingObject> objects;
  for (const PlanStep& step : plan.steps) {
    EXPECT_TRUE(objects.insert(step.object).second) << "two steps for " << TextOf(step.object);
    EXPECT_TRUE(IsCanonical(step.object.kind, step.to)) << step.to;
    EXPECT_FALSE(step.mends.empty()) << TextOf(step.object);
  }
  for (const PlanRefusal& refusal : plan.refusals)
    EXPECT_EQ(refusal.reason.find("wanted as"), std::string::npos) << "does not settle: " << refusal.reason;
  Facts after = made.facts;
  EXPECT_EQ(Apply(after, plan), "");
  EXPECT_EQ(StepsText(Plan{.steps = MakePlan(HostParts(after, profile)).steps}), "") << "a second plan";
  if (HasOneWayStep(plan)) return;
  const std::vector<Setting> snapshot = SettingsOf(made.facts);
  RollBack(after, plan, snapshot);
  EXPECT_EQ(Differences(snapshot, SettingsOf(after)), "");
}

TEST(Plans, AppliedTheyAreEmptyAndTakenBackTheyLeaveNothing) {
  const std::uint64_t seeds = property::ShareToTry().all ? kAllSeeds : kSomeSeeds;
  Tally tally;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    TrySeed(seed, tally);
    if (testing::Test::HasFailure()) break;
  }
  GTEST_LOG_(INFO) << seeds << " seeds: " << tally.steps << " steps, " << tally.empty << " empty plans, "
                   << tally.refusals << " refusals";
  EXPECT_GT(tally.steps, seeds);
}

TEST(Plans, OfAGoodHostIsEmpty) {
  const Facts host = GoodHost();
  const Profile profile = VirtualFabricProfile();
  const Plan plan = MakePlan(HostParts(host, profile));
  EXPECT_EQ(StepsText(plan), "");
  EXPECT_TRUE(plan.pending.empty());
  EXPECT_TRUE(plan.unknown.empty()) << plan.unknown.front();
}

}  // namespace
}  // namespace rdmaready
