// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/dependence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checks/plan/plan.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

SettingObject Of(SettingKind kind) { return {.kind = kind, .where = "dcb0"}; }

// The reason why the step needs the refused setting, on a host as it is after all steps.
std::string Needed(SettingKind step, SettingKind refused, const Facts& after) {
  const Profile profile = VirtualFabricProfile();
  const HostParts host(after, profile);
  const Plan plan{.steps = {{.object = Of(step)}}, .refusals = {{.object = Of(refused)}}};
  const auto needing = NeedingRefused(PlannedPartsOf(host), plan);
  const auto found = needing.find(Of(step));
  return found == needing.end() ? "" : found->second;
}

Facts InOneClass() {
  return WithNetdev([](Netdev& netdev) {
    Ets ets = *netdev.dcb.ets;
    ets.prio_tc = {};
    netdev.dcb.ets = ets;
  });
}

TEST(NeedingRefused, PfcNeedsClassesThatSeparateIt) {
  EXPECT_EQ(Needed(SettingKind::kPfc, SettingKind::kEts, InOneClass()),
            "it needs ets of dcb0, which is refused: a lossless priority would share its class with others");
  EXPECT_EQ(Needed(SettingKind::kPfc, SettingKind::kEts, GoodHost()), "")
      << "it has a class of its own already";
  EXPECT_EQ(Needed(SettingKind::kMaxRate, SettingKind::kEts, InOneClass()), "");
}

TEST(NeedingRefused, PfcNeedsLinkLevelPauseOff) {
  const Facts paused = WithNetdev([](Netdev& netdev) { netdev.pause = Pause{.rx = true}; });
  EXPECT_NE(Needed(SettingKind::kPfc, SettingKind::kPause, paused), "");
  EXPECT_EQ(Needed(SettingKind::kPfc, SettingKind::kPause, GoodHost()), "");
}

TEST(NeedingRefused, BuffersForLosslessPrioritiesNeedPfc) {
  const Facts off = WithNetdev([](Netdev& netdev) {
    Pfc pfc = *netdev.dcb.pfc;
    pfc.enabled = 0;
    netdev.dcb.pfc = pfc;
  });
  EXPECT_NE(Needed(SettingKind::kBuffer, SettingKind::kPfc, off), "");
  EXPECT_EQ(Needed(SettingKind::kBuffer, SettingKind::kPfc, GoodHost()), "");
}

TEST(NeedingRefused, IgnoresARefusalOfAnotherNetdev) {
  const Profile profile = VirtualFabricProfile();
  const Facts host = InOneClass();
  const HostParts parts(host, profile);
  const Plan plan{.steps = {{.object = Of(SettingKind::kPfc)}},
                  .refusals = {{.object = {.kind = SettingKind::kEts, .where = "dcb1"}}}};
  EXPECT_TRUE(NeedingRefused(PlannedPartsOf(parts), plan).empty());
}

TEST(NeedingRefused, APlanLeavesPfcOffWhereTheNicHasTooFewClasses) {
  const Facts host = WithNetdev([](Netdev& netdev) {
    Ets ets{.traffic_classes = 1};
    ets.tsa[0] = Tsa::kEts;
    ets.tx_percent[0] = 100;
    netdev.dcb.ets = ets;
    Pfc pfc = *netdev.dcb.pfc;
    pfc.enabled = 0;
    netdev.dcb.pfc = pfc;
  });
  const Profile profile = VirtualFabricProfile();
  const Plan plan = MakePlan(HostParts(host, profile));
  for (const PlanStep& step : plan.steps) EXPECT_NE(step.object, Of(SettingKind::kPfc));
  const auto refusal = std::ranges::find(plan.refusals, Of(SettingKind::kPfc), &PlanRefusal::object);
  ASSERT_NE(refusal, plan.refusals.end());
  EXPECT_EQ(refusal->reason,
            "it needs ets of dcb0, which is refused: a lossless priority would share its class with others");
}

}  // namespace
}  // namespace rdmaready
