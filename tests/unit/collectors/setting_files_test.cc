// SPDX-License-Identifier: Apache-2.0
#include "collectors/setting_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/commands.h"
#include "collectors/setting_commands.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using TextLines = std::vector<std::string>;

TextLines ScriptLines(const std::string& text) {
  TextLines lines = CommandsToKeep("/usr/local/sbin/site", "#!/bin/bash\n" + text);
  if (!lines.empty()) lines.erase(lines.begin());
  return lines;
}

TEST(SettingCommands, KeepsTheMtu) {
  EXPECT_THAT(ScriptLines("ip link set dev eth2 mtu 9000\n/sbin/ip -s l set eth3 up mtu 4200 txqueuelen 100\n"
                          "ip link set mtu 1500 eth4\nifconfig eth5 mtu 9000 up"),
              ElementsAre("mtu eth2 9000", "mtu eth3 4200", "mtu eth4 1500", "mtu eth5 9000"));
  EXPECT_THAT(ScriptLines("for n in eth2 eth3; do ip link set $n mtu $SIZE; done\nip link set \"$1\" mtu 9000"),
              ElementsAre("mtu eth2 *", "mtu eth3 *", "mtu $1 9000"));
  EXPECT_THAT(ScriptLines("echo 9000 > /sys/class/net/eth2/mtu"), ElementsAre("mtu eth2 9000"));
  EXPECT_THAT(ScriptLines("cat /sys/class/net/eth2/mtu\nip link set eth2 up\nip address add 10.0.0.1/24 dev "
                          "eth2\nip link show mtu 9000"),
              IsEmpty());
}

TEST(SettingCommands, KeepsLinkLevelPause) {
  EXPECT_THAT(ScriptLines("ethtool -A eth2 rx off tx off\n/usr/sbin/ethtool --pause eth3 autoneg off"),
              ElementsAre("pause eth2 rx off tx off", "pause eth3 autoneg off"));
  EXPECT_THAT(ScriptLines("ethtool -G eth2 rx 8192\nethtool -A eth2 sizes 5"), IsEmpty());
}

TEST(SettingCommands, KeepsTheDscpOfNotifications) {
  EXPECT_THAT(ScriptLines("for n in eth2 eth3; do echo 48 > /sys/class/net/$n/ecn/roce_np/cnp_dscp; done\n"
                          "echo 48 | tee /sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_dscp\n"
                          "echo 48 > /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/cnp_dscp"),
              ElementsAre("cnp eth2 48", "cnp eth3 48", "cnp 0000:3b:00.0 *", "cnp bnxt_re0 48"));
}

TEST(SettingCommands, KeepsVariablesOfInterfacesAlone) {
  EXPECT_THAT(
      ScriptLines("sysctl -qw net.ipv4.conf.all.arp_ignore=2 kernel.hostname=secret\n"
                  "echo 1 > /proc/sys/net/ipv4/conf/eth2.711/rp_filter\nsysctl --system"),
      ElementsAre("sysctl net.ipv4.conf.all.arp_ignore 2", "sysctl net.ipv4.conf.eth2/711.rp_filter 1"));
}

TEST(SettingsInFile, ReadsVariables) {
  EXPECT_THAT(CommandsToKeep("/etc/sysctl.d/99-site.conf",
                             "# net.ipv4.conf.all.arp_ignore = 1\n net.ipv4.conf.all.arp_ignore = 2\n"
                             "-net.ipv4.conf.all.rp_filter\n-net.ipv4.conf.eth2.rp_filter=0\nvm.swappiness=1\n"
                             "net/ipv4/conf/*/rp_filter=2"),
              ElementsAre("sysctl net.ipv4.conf.all.arp_ignore 2", "sysctl net.ipv4.conf.all.rp_filter",
                          "sysctl net.ipv4.conf.eth2.rp_filter 0", "sysctl net.ipv4.conf.*.rp_filter 2"));
}

TEST(SettingsInFile, ReadsLinkFiles) {
  const auto of = [](const std::string& match, const std::string& link) {
    return CommandsToKeep("/etc/systemd/network/10-a.link", "[Match]\n" + match + "\n[Link]\n" + link + "\n");
  };
  EXPECT_THAT(of("MACAddress=AA-BB-CC-DD-EE-FF\nDriver=x", "Name=stor0\nMTUBytes=9000"),
              ElementsAre("mtu aa:bb:cc:dd:ee:ff 9000"));
  EXPECT_THAT(
      of("OriginalName=eth2 eth3", "RxFlowControl=yes\nTxFlowControl=0\nAutoNegotiationFlowControl=off"),
      ElementsAre("pause eth2 rx on tx off autoneg off", "pause eth3 rx on tx off autoneg off"));
  EXPECT_THAT(of("Path=pci-0000:3b:00.0-*", "Name=stor0"), ElementsAre("match pci=0000:3b:00.0"));
  EXPECT_THAT(of("Driver=mlx5_core", "MTUBytes=9K"), ElementsAre("mtu driver=mlx5_core *"));
  EXPECT_THAT(of("OriginalName=*", "NamePolicy=keep"), IsEmpty()) << "99-default.link";
  EXPECT_THAT(of("OriginalName=en*", "MTUBytes=1500"), ElementsAre("mtu * 1500"));
  EXPECT_THAT(CommandsToKeep("/etc/systemd/network/10-a.network",
                             "[Match]\nName=eth2\n[Network]\nAddress=10.0.0.1/24\n[Link]\nMTUBytes=9000\n"),
              ElementsAre("mtu eth2 9000"));
  EXPECT_THAT(CommandsToKeep("/etc/systemd/network/20-v.netdev", "[NetDev]\nName=eth2.711\nMTUBytes=9000\n"),
              ElementsAre("mtu eth2.711 9000"));
}

TEST(SettingsInFile, ReadsNetplan) {
  EXPECT_THAT(CommandsToKeep("/etc/netplan/01.yaml",
                             "network:\n  version: 2\n  ethernets:\n    eth2:\n      addresses:\n"
                             "        - 10.0.0.1/24\n      mtu: 9000  # jumbo\n    stor:\n      match:\n"
                             "        macaddress: \"AA:BB:CC:DD:EE:FF\"\n      mtu: 4200\n    any:\n"
                             "      match: {driver: mlx5_core}\n      mtu: 1500\n  bonds:\n    bond0:\n"
                             "      mtu: 9000\n      parameters:\n        mtu: 1\n"),
              ElementsAre("mtu eth2 9000", "mtu aa:bb:cc:dd:ee:ff 4200", "mtu * 1500", "mtu bond0 9000"));
  EXPECT_THAT(CommandsToKeep("/etc/netplan/02.yaml", "network:\n  wifis:\n    w:\n      password: mtu\n"),
              IsEmpty());
}

TEST(SettingsInFile, ReadsTheOtherManagersFiles) {
  EXPECT_THAT(CommandsToKeep("/etc/sysconfig/network-scripts/ifcfg-eth2",
                             "DEVICE=\"eth2\"\nMTU=9000\nETHTOOL_OPTS=\"-A ${DEVICE} rx off tx off\"\n"),
              ElementsAre("mtu eth2 9000", "pause eth2 rx off tx off"));
  EXPECT_THAT(CommandsToKeep("/etc/network/interfaces",
                             "auto eth2\niface eth2 inet static\n  address 10.0.0.1/24\n  mtu 9000\n"),
              ElementsAre("mtu eth2 9000"));
}

TEST(SettingsInFile, ReadsRulesOfUdev) {
  EXPECT_THAT(CommandsToKeep("/etc/udev/rules.d/90.rules",
                             "ACTION==\"add\", SUBSYSTEM==\"net\", KERNEL==\"eth2\", ATTR{mtu}=\"9000\"\n"
                             "SUBSYSTEM==\"net\", ATTR{mtu}==\"9000\", RUN+=\"/opt/x.sh\"\n"
                             "SUBSYSTEM==\"net\", DRIVERS==\"mlx5_core\", ATTR{mtu}=\"4200\"\n"
                             "SUBSYSTEM==\"net\", SYSCTL{net/ipv4/conf/all/arp_ignore}=\"2\"\n"),
              ElementsAre("mtu eth2 9000", "run /opt/x.sh", "mtu driver=mlx5_core 4200",
                          "sysctl net.ipv4.conf.all.arp_ignore 2"));
}

TEST(SettingsInFile, KnowsTheNamesThatARuleHasForItsInterface) {
  const std::string known = "SUBSYSTEM==\"net\", KERNEL==\"eth2.7\", ";
  const auto of = [](const std::string& rule) {
    return CommandsToKeep("/etc/udev/rules.d/90.rules", rule + "\n");
  };
  for (const char* name : {"$name", "$kernel", "%k", "$env{INTERFACE}"}) {
    const std::string sets = std::string("SYSCTL{net/ipv4/conf/") + name + "/rp_filter}=\"1\"";
    EXPECT_THAT(of(known + sets), ElementsAre("sysctl net.ipv4.conf.eth2/7.rp_filter 1")) << name;
    EXPECT_THAT(of("SUBSYSTEM==\"net\", " + sets), ElementsAre("sysctl net.ipv4.conf.*.rp_filter 1")) << name;
  }
  EXPECT_THAT(of(known + "SYSCTL{net.ipv4.conf.$name.rp_filter}=\"1\""),
              ElementsAre("sysctl net.ipv4.conf.eth2/7.rp_filter 1"));
  EXPECT_THAT(of("SUBSYSTEM==\"net\", KERNEL==\"eth2\", RUN+=\"/sbin/ip link set dev %k mtu 1500\""),
              ElementsAre("mtu eth2 1500"));
  EXPECT_THAT(of("SUBSYSTEM==\"net\", KERNEL==\"eth2\", RUN+=\"/sbin/ip link set $env{INTERFACE} mtu 1500\""),
              ElementsAre("mtu eth2 1500"));
  EXPECT_THAT(of("SUBSYSTEM==\"net\", RUN+=\"/sbin/ip link set dev $name mtu 1500\""),
              ElementsAre("mtu * 1500"));
}

TEST(SettingsInFile, ReadsDropInsOfNetworkFiles) {
  const std::string text = "[Link]\nMTUBytes=9000\nRxFlowControl=no\n";
  EXPECT_THAT(CommandsToKeep("/etc/systemd/network/10-a.link.d/rdma.conf", text),
              ElementsAre("mtu * 9000", "pause * rx off"));
  EXPECT_THAT(CommandsToKeep("/etc/systemd/network/10-a.network.d/rdma.conf", text), ElementsAre("mtu * 9000"));
}

}  // namespace
}  // namespace rdmaready
