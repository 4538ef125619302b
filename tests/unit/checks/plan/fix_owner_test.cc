// SPDX-License-Identifier: Apache-2.0
// The remedies of findings where a program of the host keeps the setting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/judge.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Remedy RemedyOn(const Facts& host, std::string_view check) {
  const std::vector<Finding> findings = JudgeHost(host, VirtualFabricProfile());
  const auto found = std::ranges::find(findings, check, &Finding::id);
  return found == findings.end() || !found->remedy ? Remedy() : *found->remedy;
}

std::vector<std::string> HostSteps(const Remedy& remedy) {
  std::vector<std::string> steps;
  for (const RemedyStep& step : remedy.steps) {
    if (step.site == StepSite::kHost) steps.push_back(step.command.empty() ? step.action : step.command);
  }
  return steps;
}

Facts ManagedBy(Facts host, const std::string& file) {
  host.managed_interfaces = std::vector<NamedDevice>{{.device = "dcb0", .exact = true, .source = file}};
  return host;
}

constexpr const char* kNetworkd = "/etc/systemd/network/10-storage.network";
constexpr const char* kConnection = "/etc/NetworkManager/system-connections/storage.nmconnection";

TEST(FixByOwner, AFileThatKeepsTheMtuIsNamedWhereTheCommandIsTheSame) {
  const Facts host = WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 1500; });
  const Remedy remedy = RemedyOn(ManagedBy(host, kNetworkd), "mtu.ethernet");
  EXPECT_EQ(remedy.owner, "systemd-networkd");
  EXPECT_THAT(HostSteps(remedy), ElementsAre(HasSubstr(kNetworkd), "ip link set dev dcb0 mtu 9000"));
  EXPECT_THAT(HostSteps(RemedyOn(host, "mtu.ethernet")), ElementsAre("ip link set dev dcb0 mtu 9000"));
}

TEST(FixByOwner, AFileThatSetsTheMtuAtBootIsChangedLast) {
  Facts host = WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 1500; });
  const std::string file = "/etc/systemd/network/50-dcb0.link";
  host.boot_settings = BootSettings{
      .writes = {{.file = file, .started = file, .setting = "mtu", .object = "dcb0", .value = "1500"}}};
  const Remedy remedy = RemedyOn(host, "mtu.ethernet");
  EXPECT_EQ(remedy.owner, file);
  EXPECT_THAT(HostSteps(remedy), ElementsAre("ip link set dev dcb0 mtu 9000", HasSubstr("change " + file)));
}

TEST(FixByOwner, WarnsOfAFileThatCouldNotBeRead) {
  Facts host = WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 1500; });
  const auto warned = [&host] {
    const Remedy remedy = RemedyOn(host, "mtu.ethernet");
    return std::ranges::any_of(remedy.cautions, [](const std::string& caution) {
      return caution == "/etc/netplan could not be read, and may set it at the next boot";
    });
  };
  host.boot_settings = BootSettings{};
  EXPECT_FALSE(warned());
  host.boot_settings = BootSettings{.unread = {"/etc/netplan"}};
  EXPECT_TRUE(warned());
  host.boot_settings =
      BootSettings{.unread = {"/etc/sysctl.d/9.conf", "/etc/netplan", "/etc/modprobe.d/a.conf"}};
  EXPECT_TRUE(warned()) << "the two others hold no MTU";
}

TEST(FixByOwner, WarnsOfAScriptThatCouldNotBeReadBesideTheOwner) {
  Facts host = WithDcb([](Dcb& dcb) { dcb.pfc = Pfc{.enabled = 0x10}; });
  const BootWrite unread{
      .file = "/opt/site.sh", .started = "/opt/site.sh", .setting = "unread", .value = "denied"};
  const BootWrite unit{
      .file = "/etc/rc.local", .started = "/etc/rc.local", .setting = "pfc", .object = "dcb0", .value = "4"};
  host.boot_writes = std::vector<BootWrite>{unread};
  EXPECT_THAT(RemedyOn(host, "pfc.lossless-priority").cautions,
              testing::Contains("/opt/site.sh could not be read, and may set it at the next boot"));
  host.boot_writes = std::vector<BootWrite>{unit, unread};
  EXPECT_EQ(RemedyOn(host, "pfc.lossless-priority").owner, "/etc/rc.local");
}

TEST(FixByOwner, AUnitThatSetsPfcAtBootIsChangedToo) {
  constexpr const char* kUnit = "/etc/systemd/system/site-rdma.service";
  Facts host = WithDcb([](Dcb& dcb) { dcb.pfc = Pfc{.enabled = 0x10}; });
  host.boot_writes = std::vector<BootWrite>{
      {.file = kUnit, .started = kUnit, .setting = "pfc", .object = "dcb0", .value = "4"}};
  const Remedy remedy = RemedyOn(host, "pfc.lossless-priority");
  EXPECT_EQ(remedy.owner, kUnit);
  EXPECT_THAT(HostSteps(remedy), ElementsAre("dcb pfc set dev dcb0 prio-pfc all:off 3:on",
                                             HasSubstr(std::string("for the next boot: change ") + kUnit)));
}

TEST(FixByOwner, AnAddressGoesIntoTheConfigurationOfTheNetworkManager) {
  const Facts host = WithNetdev([](Netdev& netdev) { netdev.addresses = std::vector<IpAddress>{}; });
  constexpr const char* kAdd = "fill in and run: ip address add ADDRESS dev dcb0";
  EXPECT_THAT(
      HostSteps(RemedyOn(ManagedBy(host, kConnection), "ip.address")),
      ElementsAre(
          "fill in and run: nmcli connection modify \"$(nmcli -e no -g GENERAL.CONNECTION device show dcb0)\" "
          "ipv4.addresses ADDRESS ipv4.method manual",
          kAdd, HasSubstr("ADDRESS")));
  EXPECT_THAT(HostSteps(RemedyOn(ManagedBy(host, kNetworkd), "ip.address")),
              ElementsAre(HasSubstr(kNetworkd), kAdd, HasSubstr("ADDRESS")));
}

}  // namespace
}  // namespace rdmaready
