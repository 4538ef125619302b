// SPDX-License-Identifier: Apache-2.0
// Steps of a plan whose setting no file brings back.
#include "checks/plan/unkept.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "checks/plan/plan.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// An interface of 9000 bytes, which a plan gives 1500.
Facts WithLargeMtu(std::vector<BootWrite> writes, std::vector<std::string> unread = {}) {
  Facts host = On("mlx5_core", [](Netdev& netdev) { netdev.mtu_bytes = 9000; });
  host.boot_settings = BootSettings{.writes = std::move(writes), .unread = std::move(unread)};
  return host;
}

BootWrite MtuOfLink(const char* value) {
  constexpr const char* kLink = "/etc/systemd/network/50-a.link";
  return {.file = kLink, .started = kLink, .setting = "mtu", .object = "dcb0", .value = value};
}

std::vector<PlanUnkept> UnkeptAtStandardMtu(const Facts& host) {
  Plan plan;
  plan.steps = {{.object = {.kind = SettingKind::kMtu, .where = "dcb0"},
                 .from = "9000",
                 .to = "1500",
                 .subject = "rxe0/1 dcb0",
                 .commands = {"ip link set dev dcb0 mtu 1500"}}};
  return UnkeptOf(host, {}, plan);
}

TEST(UnkeptSteps, NameTheStandardMtuBelowAFileWithAnother) {
  const std::vector<PlanUnkept> unkept = UnkeptAtStandardMtu(WithLargeMtu({MtuOfLink("9000")}));
  ASSERT_EQ(unkept.size(), 1U);
  EXPECT_EQ(unkept.front().what, "MTU of dcb0 (1500)");
  EXPECT_EQ(unkept.front().subject, "rxe0/1 dcb0");
  EXPECT_TRUE(unkept.front().again.starts_with("ip link set dev dcb0 mtu 1500; for the next boot: "))
      << unkept.front().again;
  EXPECT_NE(unkept.front().again.find("50-a.link"), std::string::npos) << unkept.front().again;
}

TEST(UnkeptSteps, LeaveOutTheStandardMtuIfNoFileSetsAnother) {
  EXPECT_TRUE(UnkeptAtStandardMtu(WithLargeMtu({})).empty());
  EXPECT_TRUE(UnkeptAtStandardMtu(WithLargeMtu({MtuOfLink("1500")})).empty());
}

TEST(UnkeptSteps, NameTheStandardMtuIfAFileWasNotRead) {
  EXPECT_EQ(UnkeptAtStandardMtu(WithLargeMtu({}, {"/etc/netplan"})).size(), 1U);
  Facts host = WithLargeMtu({});
  host.managed_interfaces = std::vector<NamedDevice>{
      {.device = "dcb0", .exact = true, .source = "/etc/NetworkManager/system-connections/a.nmconnection"}};
  EXPECT_EQ(UnkeptAtStandardMtu(host).size(), 1U) << "a connection may have an MTU";
}

TEST(UnkeptSteps, NameTheStandardMtuWhereTheInterfaceMayStartAtAnother) {
  for (const char* driver : {"gve", "hv_netvsc", "virtio_net", "ena", "mana"}) {
    Facts host = On(driver, [](Netdev& netdev) { netdev.mtu_bytes = 1460; });
    host.boot_settings = BootSettings{};
    EXPECT_EQ(UnkeptAtStandardMtu(host).size(), 1U) << driver;
  }
  Facts host = WithLargeMtu({});
  for (const char* source :
       {"/etc/systemd/network/20-a.network", "/run/systemd/network/10-netplan-a.network"}) {
    host.managed_interfaces = std::vector<NamedDevice>{{.device = "dcb0", .exact = true, .source = source}};
    EXPECT_EQ(UnkeptAtStandardMtu(host).size(), 1U) << source << ": DHCP may give an MTU";
  }
}

// RDMA-CM starts with ToS 0.
TEST(UnkeptSteps, NameToSZeroBelowAFileWithAnother) {
  const Profile profile = Without([](Profile& one) { one.tos = 0; });
  Facts host = GoodHost();
  host.boot_writes = std::vector<BootWrite>{};
  host.tos_keepers = std::vector<std::string>{};
  const auto named = [&] {
    const Plan plan = MakePlan(HostParts(host, profile), {.persist = true});
    const auto sets = [](const PlanStep& step) { return step.object.kind == SettingKind::kCmTos; };
    EXPECT_TRUE(std::ranges::any_of(plan.steps, sets));
    return std::ranges::any_of(
        plan.unkept, [](const PlanUnkept& one) { return one.what.find("rxe0/1 (0)") != std::string::npos; });
  };
  EXPECT_FALSE(named());
  host.tos_keepers = std::vector<std::string>{"/etc/rc.local"};
  EXPECT_TRUE(named()) << "its value is not known";
  host.boot_writes = std::vector<BootWrite>{
      {.file = "/etc/rc.local", .started = "/etc/rc.local", .setting = "tos", .object = "rxe0", .value = "24"}};
  EXPECT_TRUE(named());
}

// The MTU of a member of a bond comes with that of the bond.
TEST(UnkeptSteps, LeaveOutAMemberWhoseBondHasAFile) {
  Facts host = On("mlx5_core", [](Netdev& netdev) {
    netdev.mtu_bytes = 1500;
    netdev.master = "bond0";
  });
  host.boot_settings = BootSettings{};
  std::vector<Port> ports = *host.ports;
  ports.front().uppers = std::vector<UpperNetdev>{{.name = "bond0", .kind = "bond", .mtu_bytes = 9000}};
  host.ports = ports;
  Plan plan;
  plan.steps = {{.object = {.kind = SettingKind::kMtu, .where = "dcb0"}, .from = "1500", .to = "9000"}};
  ASSERT_EQ(UnkeptOf(host, {}, plan).size(), 1U) << "no file keeps the bond's";
  plan.persist = {{.path = "/etc/systemd/system/rdma-mtu-bond0.service",
                   .keeps = {{.kind = SettingKind::kMtu, .where = "bond0"}}}};
  EXPECT_TRUE(UnkeptOf(host, {}, plan).empty());
}

TEST(UnkeptSteps, LeaveOutASysctlThatAFileOfTheSiteSets) {
  const SettingObject ignore{.kind = SettingKind::kSysctl, .name = "net.ipv4.conf.dcb0.arp_ignore"};
  Plan plan;
  plan.steps = {{.object = ignore, .from = "0", .to = "2", .subject = "host", .commands = {"sysctl -w x"}}};
  Facts host = GoodHost();
  const auto with = [&](const char* value) {
    host.boot_settings = BootSettings{.writes = {{.file = "/etc/sysctl.d/50-site.conf",
                                                  .started = "/etc/sysctl.d/50-site.conf",
                                                  .setting = "sysctl",
                                                  .object = ignore.name,
                                                  .value = value}}};
    return UnkeptOf(host, {}, plan);
  };
  EXPECT_TRUE(with("2").empty());
  ASSERT_EQ(with("1").size(), 1U);
  EXPECT_EQ(with("1").front().what, "net.ipv4.conf.dcb0.arp_ignore (2)");
}

// The script of the site sets PFC at boot; nothing is known of the rest.
TEST(UnkeptSteps, NameWhatNeitherAUnitNorTheSiteSets) {
  const SettingObject pfc{.kind = SettingKind::kPfc, .where = "dcb0"};
  const SettingObject trust{.kind = SettingKind::kTrust, .where = "dcb0"};
  Plan plan;
  plan.steps = {{.object = pfc, .to = Text(PfcSetting{.enabled = 0x08})}, {.object = trust, .to = "dscp"}};
  Facts host = GoodHost();
  host.boot_writes = std::vector<BootWrite>{
      {.file = "/etc/rc.local", .started = "/etc/rc.local", .setting = "pfc", .object = "dcb0", .value = "3"},
      {.file = "/etc/rc.local", .started = "/etc/rc.local", .setting = "trust", .object = "dcb0"}};
  const std::vector<PlanUnkept> unkept = UnkeptOf(host, {}, plan);
  ASSERT_EQ(unkept.size(), 1U);
  EXPECT_NE(unkept.front().what.find("trust"), std::string::npos) << unkept.front().what;
}

}  // namespace
}  // namespace rdmaready
