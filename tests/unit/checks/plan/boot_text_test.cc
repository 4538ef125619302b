// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/boot_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "checks/plan/plan.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr const char* kDropIn = "/etc/systemd/network/50-a.link.d/rdma.conf";
constexpr const char* kSysctls = "/etc/sysctl.d/90-rdmaready.conf";
constexpr const char* kNetplan = "/etc/netplan/90-rdmaready-dcb0.yaml";
constexpr const char* kRule = "/etc/udev/rules.d/90-rdma-tos.rules";
constexpr const char* kUnit = "/etc/systemd/system/rdma-mtu-dcb0.service";

TEST(BootText, TakesEachFileThatAPlanWrites) {
  Facts host = GoodHost();
  host.dcb_keepers = std::vector<std::string>{};
  host.tos_keepers = std::vector<std::string>{};
  const Profile profile = VirtualFabricProfile();
  int taken = 0;
  for (const PersistFile& file : MakePlan(HostParts(host, profile), {.persist = true}).persist) {
    if (!file.by_apply) continue;
    EXPECT_EQ(WhyNotBootText(file.path, file.content), "") << file.path << "\n" << file.content;
    ++taken;
  }
  EXPECT_GE(taken, 3);
}

TEST(BootText, TakesTheFormsOfManagers) {
  EXPECT_EQ(WhyNotBootText(kDropIn, "# x\n[Link]\nMTUBytes=9000\n"), "");
  EXPECT_EQ(WhyNotBootText(kSysctls, "# x\nnet.ipv4.conf.dcb0/711.arp_ignore = 1\n"), "");
  EXPECT_EQ(
      WhyNotBootText(kNetplan, "# x\nnetwork:\n  version: 2\n  bonds:\n    \"stor0\":\n      mtu: 9000\n"), "");
  EXPECT_EQ(
      WhyNotBootText("/etc/NetworkManager/conf.d/90-rdmaready-dcb0.conf",
                     "[connection-rdmaready-dcb0]\nmatch-device=interface-name:=dcb0\nethernet.mtu=9000\n"),
      "");
  EXPECT_EQ(WhyNotBootText(kRule, "ACTION==\"add\", RUN+=\"/bin/sh -c 'true'\"\n"), "");
}

TEST(BootText, RefusesWhatAReaderWouldReadOtherwise) {
  const std::vector<std::pair<const char*, std::string>> odd{
      {"/etc/passwd", "[Link]\nMTUBytes=9000\n"},
      {kDropIn, ""},
      {kDropIn, "[Link]\nMTUBytes=9000"},
      {kDropIn, "MTUBytes=9000\n"},
      {kDropIn, "[Link]\n"},
      {kDropIn, "[Link\nMTUBytes=9000\n"},
      {kDropIn, "[Link]\nMTUBytes\n"},
      {kDropIn, "[Link]\nMTUBytes=\n"},
      {kDropIn, "[Link]\nMTU Bytes=9000\n"},
      {kDropIn, "[Link]\nMTUBytes=9000\\\n[Match]\n"},
      {kDropIn, std::string("[Link]\nMTUBytes=90\0\n", 20)},
      {kDropIn, "[Link]\nMTUBytes=9000\r\n"},
      {kDropIn, "[Link]\nMTUBytes=" + std::string(4000, '9') + "\n"},
      {kDropIn, "[Link]\n" + std::string(20'000, '\n') + "MTUBytes=9000\n"},
      {kUnit, "[Service]\nExecStart=ip link set dev dcb0 mtu 9000 \\\n"},
      {kSysctls, "kernel.core_pattern = 1\n"},
      {kSysctls, "net.ipv4.conf.*.arp_ignore = 1\n"},
      {kSysctls, "net.ipv4.conf.dcb0.arp_ignore = |/bin/sh\n"},
      {kNetplan, "network:\n  version: 2\n  ethernets:\n    stor0:\n      mtu: 9000\n"},
      {kNetplan, "network:\n  version: 2\n  ethernets:\n    \"stor0\":\n      mtu: 9000\n      dhcp4: true\n"},
      {kNetplan, "network:\n  version: 2\n  vlans:\n    \"stor0\":\n      mtu: 9000\n"},
      {kNetplan, "network:\n  version: 2\n  wifis:\n    \"stor0\":\n      mtu: 9000\n"},
      {kNetplan, "network:\n  version: 2\n  ethernets:\n    \"a\": {\"b\":\n      mtu: 9000\n"},
      {kRule, "ACTION==\"add\", RUN+=\"/bin/sh\n"},
      {kRule, "ACTION==\"add\"\nACTION==\"add\"\n"},
      {kRule, "LABEL=\"x\"\n"}};
  for (const auto& [path, text] : odd) EXPECT_NE(WhyNotBootText(path, text), "") << path << ": " << text;
}

}  // namespace
}  // namespace rdmaready
