// SPDX-License-Identifier: Apache-2.0
// Plans for interfaces that share a subnet: the larger one of the variable of all interfaces and the
// interface's own counts, so that its own does, and no other interface of the host changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checks/plan/plan.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// "sysctl net.ipv4.conf.dcb0.arp_ignore: 0 -> 2", a line each.
std::string Steps(const Facts& host) {
  std::string text;
  const Profile profile = VirtualFabricProfile();
  for (const PlanStep& step : MakePlan(HostParts(host, profile)).steps)
    text += (text.empty() ? "" : "\n") + TextOf(step.object) + ": " + step.from + " -> " + step.to;
  return text;
}

Facts InSharedSubnet(const Ipv4Settings& other, std::vector<Sysctl> sysctls) {
  Facts host = WithSubnet([&other](Port&, Subnet& subnet) {
    subnet.shared_with = {{.netdev = "eth5.7", .address = "10.0.0.5", .ipv4 = other}};
  });
  host.sysctls = std::move(sysctls);
  return host;
}

// The larger one of `all` and the interface's own counts: no other interface of the host changes.
TEST(SysctlPlan, ASubnetSharedByInterfacesTakesTheirOwnSysctls) {
  const std::vector<Sysctl> none{
      {"net.ipv4.conf.all.arp_announce", 0},    {"net.ipv4.conf.all.arp_ignore", 0},
      {"net.ipv4.conf.dcb0.arp_announce", 0},   {"net.ipv4.conf.dcb0.arp_ignore", 0},
      {"net.ipv4.conf.eth5/7.arp_announce", 0}, {"net.ipv4.conf.eth5/7.arp_ignore", 0}};
  EXPECT_EQ(Steps(InSharedSubnet({}, none)),
            "sysctl net.ipv4.conf.dcb0.arp_ignore: 0 -> 2\nsysctl net.ipv4.conf.eth5/7.arp_ignore: 0 -> 2\n"
            "sysctl net.ipv4.conf.dcb0.arp_announce: 0 -> 2\nsysctl net.ipv4.conf.eth5/7.arp_announce: 0 -> 2");
}

TEST(SysctlPlan, LeavesAnInterfaceAloneWhoseSysctlsAreRight) {
  const std::vector<Sysctl> half{
      {"net.ipv4.conf.all.arp_announce", 0},    {"net.ipv4.conf.all.arp_ignore", 0},
      {"net.ipv4.conf.dcb0.arp_announce", 0},   {"net.ipv4.conf.dcb0.arp_ignore", 0},
      {"net.ipv4.conf.eth5/7.arp_announce", 2}, {"net.ipv4.conf.eth5/7.arp_ignore", 1}};
  EXPECT_EQ(Steps(InSharedSubnet({.arp_ignore = 1, .arp_announce = 2}, half)),
            "sysctl net.ipv4.conf.dcb0.arp_ignore: 0 -> 2\nsysctl net.ipv4.conf.dcb0.arp_announce: 0 -> 2");
}

// The larger one counts, so the interface's own value cannot help.
TEST(SysctlPlan, SetsTheSysctlOfAllInterfacesOnlyWhereItIsTooLarge) {
  const auto host = [](std::uint32_t all, std::uint32_t own) {
    const Ipv4Settings settings{.arp_ignore = std::max(all, own), .arp_announce = 2};
    Facts facts = InSharedSubnet(settings, {{"net.ipv4.conf.all.arp_ignore", all},
                                            {"net.ipv4.conf.dcb0.arp_ignore", own},
                                            {"net.ipv4.conf.eth5/7.arp_ignore", own}});
    std::vector<Port> ports = *facts.ports;
    Netdev netdev = *ports.front().netdev;
    netdev.ipv4 = settings;
    ports.front().netdev = netdev;
    facts.ports = ports;
    return facts;
  };
  EXPECT_EQ(Steps(host(8, 0)), "sysctl net.ipv4.conf.all.arp_ignore: 8 -> 2");
  EXPECT_EQ(Steps(host(8, 3)),
            "sysctl net.ipv4.conf.all.arp_ignore: 8 -> 2\nsysctl net.ipv4.conf.dcb0.arp_ignore: 3 -> 2\n"
            "sysctl net.ipv4.conf.eth5/7.arp_ignore: 3 -> 2");
  EXPECT_EQ(Steps(host(0, 3)),
            "sysctl net.ipv4.conf.dcb0.arp_ignore: 3 -> 2\nsysctl net.ipv4.conf.eth5/7.arp_ignore: 3 -> 2");
}

TEST(SysctlPlan, LoosensTheFilterOfTheInterfacesAlone) {
  const Ipv4Settings strict{.arp_ignore = 2, .arp_announce = 2, .rp_filter = 1};
  Facts facts = InSharedSubnet(strict, {{"net.ipv4.conf.all.rp_filter", 1},
                                        {"net.ipv4.conf.dcb0.rp_filter", 0},
                                        {"net.ipv4.conf.eth5/7.rp_filter", 1}});
  std::vector<Port> ports = *facts.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.ipv4 = strict;
  ports.front().netdev = netdev;
  facts.ports = ports;
  EXPECT_EQ(Steps(facts),
            "sysctl net.ipv4.conf.dcb0.rp_filter: 0 -> 2\nsysctl net.ipv4.conf.eth5/7.rp_filter: 1 -> 2");
}

}  // namespace
}  // namespace rdmaready
