// SPDX-License-Identifier: Apache-2.0
// The plan where a program of the host keeps the setting.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "checks/plan/plan.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Plan PlanFor(const Facts& host) { return MakePlan(HostParts(host, VirtualFabricProfile()), {}); }

std::vector<std::string> KindsOf(const Plan& plan) {
  std::vector<std::string> kinds;
  for (const PlanStep& step : plan.steps) kinds.emplace_back(NameOf(step.object.kind));
  return kinds;
}

Facts WithoutPfc(std::string_view driver, std::vector<std::string> agents) {
  Facts host = On(driver, [](Netdev& netdev) {
    Pfc pfc = *netdev.dcb.pfc;
    pfc.enabled = 0;
    netdev.dcb.pfc = pfc;
  });
  host.lldp_agents = std::move(agents);
  return host;
}

TEST(PlanByOwner, ALldpadThatRunsKeepsItsSettings) {
  const Plan plan = PlanFor(WithoutPfc("mlx5_core", {"lldpad"}));
  EXPECT_TRUE(plan.steps.empty());
  ASSERT_EQ(plan.refusals.size(), 1U);
  EXPECT_EQ(plan.refusals[0].reason, "lldpad runs and writes its own PFC, ETS and APP rows to dcb0");
  EXPECT_TRUE(
      plan.refusals[0].advice.starts_with("lldptool -T -i dcb0 -V PFC enableTx=yes willing=no enabled=3"));
  EXPECT_EQ(KindsOf(PlanFor(WithoutPfc("mlx5_core", {"lldpad -R"}))), std::vector<std::string>{"pfc"});
}

TEST(PlanByOwner, ANetworkManagerIsChangedToo) {
  Facts host =
      WithNetdev([](Netdev& netdev) { netdev.pause = Pause{.autoneg = false, .rx = true, .tx = true}; });
  host.named_devices = std::vector<NamedDevice>{
      {.device = "dcb0", .exact = true, .source = "/etc/NetworkManager/system-connections/a.nmconnection"}};
  const Plan plan = PlanFor(host);
  ASSERT_EQ(KindsOf(plan), std::vector<std::string>{"pause"});
  ASSERT_EQ(plan.steps[0].commands.size(), 2U);
  EXPECT_TRUE(plan.steps[0].commands[0].starts_with("nmcli connection modify"));
  EXPECT_TRUE(plan.steps[0].commands[1].starts_with("ethtool -A dcb0"));
}

TEST(PlanByOwner, LinkLevelPauseGoesBeforePfc) {
  Facts host = WithoutPfc("mlx5_core", {});
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.pause = Pause{.autoneg = false, .rx = true, .tx = true};
  ports.front().netdev = netdev;
  host.ports = ports;
  EXPECT_EQ(KindsOf(PlanFor(host)), (std::vector<std::string>{"pause", "pfc"}));
}

}  // namespace
}  // namespace rdmaready
