// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/profile_classes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "api/profile/load.h"
#include "checks/dcb/ets_view.h"
#include "checks/plan/plan.h"
#include "checks/setting/table.h"
#include "checks/words/words.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Facts FreshHost() {
  return WithDcb([](Dcb& dcb) {
    dcb.ets = Ets{.traffic_classes = 8};
    dcb.pfc = Pfc{.capability = 8};
    dcb.app = std::vector<AppEntry>{};
  });
}

std::string ToOf(const Plan& plan, SettingKind kind) {
  for (const PlanStep& step : plan.steps) {
    if (step.object.kind == kind) return step.to;
  }
  return {};
}

// The share of the class that a priority is in.
int ShareOf(const EtsSetting& ets, std::uint8_t priority) {
  const std::uint8_t tc = ets.prio_tc[priority];
  return ets.tsa[tc] == Tsa::kEts ? ets.tx_percent[tc] : -1;
}

// The switch side (cli/switch) is made of the same classes.
TEST(ProfileClasses, TheHostsPlanDividesTheLinkAsTheProfileTellsTheSwitch) {
  int compared = 0;
  for (const std::string& name : BuiltInProfileNames()) {
    const Profile profile = *LoadProfile(name);
    if (!profile.ets_rdma_percent || !profile.rdma_priority) continue;
    const Facts host = FreshHost();
    const auto ets = EtsSettingOf(ToOf(MakePlan(HostParts(host, profile)), SettingKind::kEts));
    ASSERT_TRUE(ets) << name;
    for (const Profile::EtsClass& one : ClassesOf(profile)) {
      const std::uint8_t first = one.priorities.front();
      for (const std::uint8_t member : one.priorities)
        EXPECT_EQ(ets->prio_tc[member], ets->prio_tc[first]) << name << ", priority " << int{member};
      EXPECT_EQ(ShareOf(*ets, first), one.percent ? int{*one.percent} : -1)
          << name << ", priority " << int{first};
      ++compared;
    }
  }
  EXPECT_GT(compared, 6);
}

TEST(ProfileClasses, TheHostPausesAndMapsWhatTheSwitchDoes) {
  for (const std::string& name : BuiltInProfileNames()) {
    const Profile profile = *LoadProfile(name);
    if (profile.transport != Profile::Transport::kRoceV2) continue;
    const Facts host = FreshHost();
    const Plan plan = MakePlan(HostParts(host, profile));
    if (const auto pfc = PfcSettingOf(ToOf(plan, SettingKind::kPfc))) {
      EXPECT_EQ(PrioritiesOf(pfc->enabled), LosslessPriorities(profile)) << name;
    } else {
      EXPECT_TRUE(LosslessPriorities(profile).empty()) << name;
    }
    const auto rows = AppRowsOf(ToOf(plan, SettingKind::kApp));
    for (const auto& [dscp, priority] : DscpPrioritiesOf(profile)) {
      ASSERT_TRUE(rows) << name;
      const AppEntry row{.selector = AppSelector::kDscp, .priority = priority, .protocol = dscp};
      EXPECT_NE(std::ranges::find(*rows, row), rows->end()) << name << ", DSCP " << int{dscp};
    }
  }
}

}  // namespace
}  // namespace rdmaready
