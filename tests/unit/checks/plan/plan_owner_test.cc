// SPDX-License-Identifier: Apache-2.0
// The plan where a program of the host keeps the setting.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
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
  host.managed_interfaces = std::vector<NamedDevice>{
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

const PersistFile* FileOf(const Plan& plan, std::string_view path) {
  const auto found = std::ranges::find(plan.persist, path, &PersistFile::path);
  return found == plan.persist.end() ? nullptr : &*found;
}

TEST(PlanByOwner, AnInterfaceOfANetworkManagerGetsNoLinkFile) {
  constexpr const char* kConnection = "/etc/NetworkManager/system-connections/a.nmconnection";
  Facts host = GoodHost();
  host.managed_interfaces = std::vector<NamedDevice>{{.device = "dcb0", .exact = true, .source = kConnection}};
  const Plan plan = MakePlan(HostParts(host, VirtualFabricProfile()), {.persist = true});
  EXPECT_EQ(FileOf(plan, "/etc/systemd/system/rdma-mtu-dcb0.service"), nullptr);
  EXPECT_EQ(FileOf(plan, kConnection), nullptr) << "it can hold secrets";
  const PersistFile* own = FileOf(plan, "/etc/NetworkManager/conf.d/90-rdmaready-dcb0.conf");
  ASSERT_NE(own, nullptr);
  EXPECT_NE(own->content.find("ethernet.mtu="), std::string::npos);
  EXPECT_NE(own->note.find("nmcli connection modify"), std::string::npos);
}

TEST(PlanByOwner, AFileOfAManagerGetsOneOfOursBesideIt) {
  Facts host = GoodHost();
  const auto file = [&host](const char* source) {
    host.managed_interfaces = std::vector<NamedDevice>{{.device = "dcb0", .exact = true, .source = source}};
    const Plan plan = MakePlan(HostParts(host, VirtualFabricProfile()), {.persist = true});
    for (const PersistFile& one : plan.persist) {
      if (one.note.find(" reads it beside ") != std::string::npos) return one.path;
    }
    return std::string();
  };
  EXPECT_EQ(file("/etc/systemd/network/20-a.network"), "/etc/systemd/network/20-a.network.d/rdma.conf");
  EXPECT_EQ(file("/run/systemd/network/20-a.network"), "/etc/systemd/network/20-a.network.d/rdma.conf");
  EXPECT_EQ(file("/run/systemd/network/10-netplan-dcb0.network"), "/etc/netplan/90-rdmaready-dcb0.yaml");
}

TEST(PlanByOwner, TheOptionsOfMlx4KeepItsPfc) {
  const auto file = [](std::string_view driver) {
    const Facts host = WithoutPfc(driver, {});
    const Plan plan = MakePlan(HostParts(host, VirtualFabricProfile()), {.persist = true});
    const PersistFile* found = FileOf(plan, "/etc/modprobe.d/mlx4_en.conf");
    return found == nullptr ? std::string() : found->content;
  };
  EXPECT_NE(file("mlx4_en").find("options mlx4_en pfctx=0x08 pfcrx=0x08"), std::string::npos);
  EXPECT_EQ(file("mlx5_core"), "");
}

}  // namespace
}  // namespace rdmaready
