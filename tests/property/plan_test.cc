// SPDX-License-Identifier: Apache-2.0
// What holds of every plan: made twice it is empty, no step stands before what it needs, and all of it can be
// taken back.
#include "checks/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checks/judge.h"
#include "checks/plan/take_back.h"
#include "checks/setting/table.h"
#include "checks/words/fix.h"
#include "tests/property/hosts.h"
#include "tests/property/plan_hosts.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// For each driver.
constexpr std::uint64_t kAllSeeds = 10'000;
constexpr std::uint64_t kSomeSeeds = 40;

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

// What differs when they are looked at.
void PutBack(Facts& host, const std::vector<Setting>& order) {
  const Facts now = host;
  for (const Setting& setting : order) {
    const std::string value = ValueOf(now, setting.object);
    if (!value.empty() && value != setting.value)
      static_cast<void>(WriteSetting(host, setting.object, setting.value));
  }
}

// As the applier does it (agent/apply/engine_back.cc), with its order.
void RollBack(Facts& host, const Plan& plan, const std::vector<Setting>& snapshot) {
  for (int look = 0; look < 4 && SettingsOf(host) != snapshot; ++look) {
    if (look % 2 == 1) {
      PutBack(host, InWritingOrder(plan.steps, snapshot));
      continue;
    }
    for (const std::vector<Setting>& round : TakeBackRounds(plan.steps, snapshot)) PutBack(host, round);
  }
}

// A one-way step says why its own setting, or another one, does not come back.
bool IsOneWay(const Plan& plan, const SettingObject& object) {
  return std::ranges::any_of(plan.steps, [&object](const PlanStep& step) {
    const bool says_so = step.object == object || step.one_way.find(TextOf(object)) != std::string::npos;
    return !step.one_way.empty() && says_so;
  });
}

// Behind mlx5's PFC only a reading tells the buffers.
bool IsLeftToAReading(const Plan& plan, const SettingObject& object) {
  return object.kind == SettingKind::kBuffer &&
         std::ranges::any_of(plan.steps, [&object](const PlanStep& step) {
           return step.object.kind == SettingKind::kPfc && step.object.where == object.where;
         });
}

std::string Differences(const Plan& plan, const std::vector<Setting>& a, const std::vector<Setting>& b) {
  std::string text;
  for (const Setting& setting : a) {
    const auto other = std::ranges::find(b, setting.object, &Setting::object);
    if (other != b.end() && other->value == setting.value) continue;
    if (IsOneWay(plan, setting.object)) continue;
    if (other == b.end() && IsLeftToAReading(plan, setting.object)) continue;
    text += "  " + TextOf(setting.object) + ": " + setting.value + " became " +
            (other == b.end() ? "nothing" : other->value) + "\n";
  }
  return text;
}

struct Tally {
  std::uint64_t steps = 0;
  std::uint64_t empty = 0;
  std::uint64_t refusals = 0;
  std::uint64_t one_way = 0;
  std::uint64_t second_rounds = 0;
};

// Where the plan leaves buffers to a reading, another plan sets nothing else, and the one after it nothing.
void TrySecondRound(Facts host, const Profile& profile, property::Chance& chance, Tally& tally) {
  property::ReadBuffersAgain(host, chance);
  const Plan plan = MakePlan(HostParts(host, profile));
  tally.second_rounds += plan.steps.empty() ? 0U : 1U;
  for (const PlanStep& step : plan.steps) {
    EXPECT_EQ(step.object.kind, SettingKind::kBuffer) << "in the second round: " << TextOf(step.object);
    EXPECT_NE(step.one_way, "");
  }
  EXPECT_EQ(Apply(host, plan), "");
  EXPECT_EQ(StepsText(Plan{.steps = MakePlan(HostParts(host, profile)).steps}), "") << "a third plan";
}

void TrySeed(std::string_view driver, std::uint64_t seed, Tally& tally) {
  property::Chance chance(seed);
  const property::PlanHost made = property::MakePlanHost(driver, chance);
  const Profile profile = property::MakePlanProfile(chance);
  const Plan plan = MakePlan(HostParts(made.facts, profile));
  SCOPED_TRACE("seed " + std::to_string(seed) + ", driver " + made.driver + ", profile " + profile.name + "\n" +
               StepsText(plan));
  tally.steps += plan.steps.size();
  tally.empty += plan.steps.empty() ? 1U : 0U;
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
  tally.one_way += static_cast<std::uint64_t>(
      std::ranges::count_if(plan.steps, [](const PlanStep& step) { return !step.one_way.empty(); }));
  if (!plan.pending.empty() && !testing::Test::HasFailure()) TrySecondRound(after, profile, chance, tally);
  const std::vector<Setting> snapshot = SettingsOf(made.facts);
  RollBack(after, plan, snapshot);
  EXPECT_EQ(Differences(plan, snapshot, SettingsOf(after)), "");
}

TEST(Plans, AppliedTheyAreEmptyAndTakenBackTheyLeaveNothing) {
  const std::uint64_t seeds = property::ShareToTry().all ? kAllSeeds : kSomeSeeds;
  constexpr int kMostFailures = 20;
  const testing::TestResult& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
  for (const std::string_view driver : property::PlanDrivers()) {
    Tally tally;
    std::uint64_t seed = 0;
    while (seed < seeds && result.total_part_count() < kMostFailures) TrySeed(driver, ++seed, tally);
    GTEST_LOG_(INFO) << driver << ", " << seed << " seeds: " << tally.steps << " steps, " << tally.one_way
                     << " of them one-way, " << tally.empty << " empty plans, " << tally.refusals
                     << " refusals, " << tally.second_rounds << " second rounds";
    EXPECT_GT(tally.steps, 0U) << driver;
  }
}

std::string WithoutRemark(const std::string& command) { return command.substr(0, command.find("  # ")); }

// A fix is for the classes as they are, a step for the classes as the steps before it made them: a rate is of
// another class behind a step of ETS.
bool IsOfOtherClasses(const PlanStep& step, const Plan& plan) {
  return step.object.kind == SettingKind::kMaxRate &&
         std::ranges::any_of(plan.steps, [&step](const PlanStep& one) {
           return one.object.kind == SettingKind::kEts && one.object.where == step.object.where;
         });
}

// Whether the finding is about what the step sets. A sysctl of an interface is for the findings that name the
// interface, any other one of the host for all.
bool IsAbout(const Finding& finding, const PlanStep& step) {
  if (step.subject != "host") return finding.subject == step.subject;
  const std::string netdev = WhereOf(step.object);
  return netdev.empty() || (finding.observed + ",").find(" on " + netdev + ",") != std::string::npos;
}

// Of a step that begins from what is there now: of a later one the host of the finding is another.
int CompareWithFixes(const PlanStep& step, const Facts& host, const std::vector<Finding>& findings) {
  if (ValueOf(host, step.object) != step.from) return 0;
  std::string commands;
  for (const std::string& command : step.commands)
    commands += (commands.empty() ? "" : "; ") + WithoutRemark(command);
  int compared = 0;
  for (const Finding& finding : findings) {
    const bool mended = std::ranges::find(step.mends, finding.id) != step.mends.end();
    const bool wrong = finding.outcome == Outcome::kFail || finding.outcome == Outcome::kWarn;
    if (!mended || !wrong || !IsAbout(finding, step) || !finding.hidden_by.empty()) continue;
    const std::string fix = finding.remedy ? OneLine(*finding.remedy) : "";
    EXPECT_NE(WithoutRemark(fix).find(commands), std::string::npos)
        << finding.id << ": " << fix << "\nand the plan: " << commands;
    ++compared;
  }
  return compared;
}

TEST(Plans, SayWhatTheFixesOfFindingsSay) {
  const std::uint64_t seeds = property::ShareToTry().all ? kAllSeeds : kSomeSeeds;
  int compared = 0;
  const std::span<const std::string_view> drivers = property::PlanDrivers();
  for (std::uint64_t seed = 1; seed <= seeds * drivers.size() && !testing::Test::HasFailure(); ++seed) {
    property::Chance chance(seed);
    const property::PlanHost made = property::MakePlanHost(drivers[seed % drivers.size()], chance);
    const Profile profile = property::MakePlanProfile(chance);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", driver " + made.driver + ", profile " + profile.name);
    const Plan plan = MakePlan(HostParts(made.facts, profile));
    const std::vector<Finding> findings = JudgeHost(made.facts, profile);
    for (const PlanStep& step : plan.steps) {
      const auto refused = [&step](const PlanRefusal& refusal) { return refusal.object == step.object; };
      if (std::ranges::any_of(plan.refusals, refused) || IsOfOtherClasses(step, plan)) continue;
      compared += CompareWithFixes(step, made.facts, findings);
    }
  }
  GTEST_LOG_(INFO) << compared << " fixes were compared";
  EXPECT_GT(compared, 500);
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
