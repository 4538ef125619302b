// SPDX-License-Identifier: Apache-2.0
// A plan promises only what its result keeps; tests/property/claims_test.cc tries many hosts and profiles.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/profile/load.h"
#include "checks/judge.h"
#include "checks/plan/plan.h"
#include "checks/setting/table.h"
#include "checks/words/verdicts.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// As mlx5 comes up: each priority in a class of its own, shared in the vendor's way.
Facts FreshMlx5() {
  return WithNetdev([](Netdev& netdev) {
    netdev.driver = "mlx5_core";
    Ets ets{.traffic_classes = 8};
    ets.tsa.fill(Tsa::kVendor);
    ets.prio_tc = {1, 0, 2, 3, 4, 5, 6, 7};
    netdev.dcb.ets = ets;
    netdev.dcb.pfc = Pfc{.capability = 8, .delay = 7};
    netdev.dcb.app = std::vector<AppEntry>{};
  });
}

std::vector<std::string> WrongOf(const Facts& host, const Profile& profile, std::string_view family) {
  std::vector<std::string> wrong;
  for (const Finding& finding : JudgeHost(host, profile)) {
    if (finding.id.starts_with(family) && CallsForAction(finding.outcome)) wrong.push_back(finding.id);
  }
  return wrong;
}

// RDMA in priority 4 of a profile whose classes were written for priority 3.
TEST(PlanClaims, HoldUnderAProfileThatMovesRdma) {
  const Profile profile = *ParseProfile(
      "extends: nvidia-lossless\nname: ours\nrdma_priority: 4\npfc: [4]\ndscp: 32\ntos: 130\n", "ours.yaml");
  Facts host = FreshMlx5();
  const Plan plan = MakePlan(HostParts(host, profile));
  const auto claims = [&plan](const char* id) {
    return std::ranges::any_of(plan.steps, [id](const PlanStep& step) {
      return std::ranges::find(step.mends, id) != step.mends.end();
    });
  };
  EXPECT_TRUE(claims("pfc.lossless-priority"));
  for (const PlanStep& step : plan.steps) ASSERT_EQ(WriteSetting(host, step.object, step.to), "");
  EXPECT_EQ(host.ports->front().netdev->dcb.ets->prio_tc[4], 4);
  EXPECT_EQ(host.ports->front().netdev->dcb.ets->prio_tc[3], 0);
  for (const char* family : {"ets.", "map."})
    EXPECT_EQ(WrongOf(host, profile, family), std::vector<std::string>{}) << family;
  // The firmware lays out the buffers with PFC: only a reading shows them.
  EXPECT_EQ(WrongOf(host, profile, "pfc."), std::vector<std::string>{"pfc.headroom"});
  EXPECT_TRUE(MakePlan(HostParts(host, profile)).steps.empty());
}

}  // namespace
}  // namespace rdmaready
