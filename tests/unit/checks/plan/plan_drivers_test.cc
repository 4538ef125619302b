// SPDX-License-Identifier: Apache-2.0
// Plans for what drivers can and cannot undo.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "checks/plan/plan.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Plan MadePlan(const Facts& host) { return MakePlan(HostParts(host, VirtualFabricProfile())); }

std::string StepLines(const Plan& plan) {
  std::string text;
  for (const PlanStep& step : plan.steps)
    text += (text.empty() ? "" : "\n") + TextOf(step.object) + ": " + step.from + " -> " + step.to;
  return text;
}

std::vector<std::string> KindsOfSteps(const Plan& plan) {
  std::vector<std::string> kinds;
  for (const PlanStep& step : plan.steps) kinds.emplace_back(NameOf(step.object.kind));
  return kinds;
}

TEST(PlanOfDrivers, LeavesOutSettingsOfAnLldpAgentThatNobodyAskedFor) {
  Facts host = WithPfc(0);
  host.lldp_agents = Denied();
  const Plan plan = MadePlan(host);
  EXPECT_EQ(StepLines(plan), "");
  ASSERT_EQ(plan.unknown.size(), 1U);
  EXPECT_EQ(plan.unknown[0], "whether an LLDP agent of this host writes pfc of dcb0: Operation not permitted");
}

// As mlx5_core comes up: the vendor's classes, which read 100 %, and buffers that the firmware lays out.
Facts Mlx5AsItComesUp() {
  return WithNetdev([](Netdev& netdev) {
    netdev.driver = "mlx5_core";
    Ets ets{.traffic_classes = 8};
    ets.tsa.fill(Tsa::kVendor);
    ets.tx_percent.fill(100);
    ets.prio_tc = {1, 0, 2, 3, 4, 5, 6, 7};
    netdev.dcb.ets = ets;
    netdev.dcb.pfc = Pfc{.capability = 8, .delay = 7};
    netdev.dcb.app = std::vector<AppEntry>{};
    netdev.dcb.dcbx = Dcbx{.host = true, .cee = true, .ieee = true};
    PortBuffer buffer{.total_bytes = 262'016};
    buffer.size_bytes[0] = buffer.total_bytes;
    netdev.dcb.buffer = buffer;
  });
}

TEST(PlanOfDrivers, LeavesTheBuffersOfMlx5BehindItsPfcToAnotherPlan) {
  const Plan plan = MadePlan(Mlx5AsItComesUp());
  EXPECT_EQ(KindsOfSteps(plan), (std::vector<std::string>{"app", "ets", "pfc"}));
  for (const PlanStep& step : plan.steps) EXPECT_EQ(step.one_way, "") << TextOf(step.object);
  EXPECT_TRUE(plan.unknown.empty());
  ASSERT_EQ(plan.pending.size(), 1U);
  EXPECT_EQ(TextOf(plan.pending[0].object), "buffer of dcb0");
  EXPECT_EQ(plan.pending[0].needs,
            "another plan after PFC is set: mlx5's firmware lays out the receive buffers when PFC changes");
  EXPECT_EQ(plan.pending[0].mends, std::vector<std::string>{"pfc.headroom"});
}

TEST(PlanOfDrivers, SetsTheBuffersOfMlx5InOneWayWherePfcStays) {
  const Facts host = WithNetdev([](Netdev& netdev) {
    netdev.driver = "mlx5_core";
    PortBuffer buffer{.total_bytes = 262'016};
    buffer.size_bytes[0] = buffer.total_bytes;
    netdev.dcb.buffer = buffer;
  });
  const Plan plan = MadePlan(host);
  EXPECT_EQ(StepLines(plan),
            "buffer of dcb0: prio 0,0,0,0,0,0,0,0 size 262016,0,0,0,0,0,0,0 -> prio 0,0,0,1,0,0,0,0 size "
            "131840,130176,0,0,0,0,0,0");
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_NE(plan.steps[0].one_way, "");
  EXPECT_TRUE(plan.pending.empty());
}

// mlx4 keeps no classes of its own choice over a change of DCBX, and ice has no gap in its classes: what a NIC
// came up with cannot always be written.
TEST(PlanOfDrivers, SaysOfAStepThatItsWayBackIsRefused) {
  const auto classes = [](std::string_view driver) {
    return WithNetdev([driver](Netdev& netdev) {
      netdev.driver = driver;
      Ets ets{.traffic_classes = 8};
      ets.tsa[0] = Tsa::kEts;
      ets.tx_percent[0] = 50;
      netdev.dcb.ets = ets;
    });
  };
  const Plan plan = MadePlan(classes("mlx4_en"));
  const auto step =
      std::ranges::find(plan.steps, SettingKind::kEts, [](const PlanStep& one) { return one.object.kind; });
  ASSERT_NE(step, plan.steps.end());
  EXPECT_EQ(step->one_way,
            "what it is now cannot be set again: the shares of its ETS classes must sum to 100 %");
}

}  // namespace
}  // namespace rdmaready
