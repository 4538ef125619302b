// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "checks/setting/boot_owner.h"
#include "checks/words/fix.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/setting/settings_of.h"

namespace rdmaready {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Facts WithAgents(std::vector<std::string> agents, std::string_view driver = "mlx5_core") {
  Facts host = On(driver, [](Netdev&) {});
  host.lldp_agents = std::move(agents);
  return host;
}

Facts NamedBy(const std::string& source, const std::string& device = "dcb0", bool exact = true) {
  Facts host = GoodHost();
  host.managed_interfaces = std::vector<NamedDevice>{{.device = device, .exact = exact, .source = source}};
  return host;
}

std::vector<std::string> StepsOf(const Remedy& remedy) {
  std::vector<std::string> steps;
  for (const RemedyStep& step : remedy.steps)
    steps.push_back(step.command.empty() ? step.action : step.command);
  return steps;
}

std::string OwnerName(const Facts& host, SettingKind kind) { return OwnerOf(host, OfDcb0(kind)).name; }

TEST(SettingOwner, LldpadOwnsWhatItWritesWithoutAFrameOfIt) {
  for (const std::string_view driver : {"mlx5_core", "bnxt_en"}) {
    const Facts host = WithAgents({"lldpad"}, driver);
    const SettingOwner owner = OwnerOf(host, OfDcb0(SettingKind::kPfc), "on 3 delay 0");
    EXPECT_EQ(owner.name, "lldpad");
    EXPECT_TRUE(owner.writes_again);
    EXPECT_THAT(StepsOf(owner.way),
                ElementsAre("lldptool -T -i dcb0 -V PFC enableTx=yes willing=no enabled=3"));
    EXPECT_THAT(owner.way.alternatives, ElementsAre(HasSubstr("systemctl disable --now lldpad.service")));
    EXPECT_EQ(OwnerName(host, SettingKind::kEts), "lldpad");
    EXPECT_EQ(OwnerName(host, SettingKind::kApp), "lldpad");
  }
}

TEST(SettingOwner, LldpadLeavesBuffersAndPauseAlone) {
  const Facts host = WithAgents({"lldpad"});
  for (const SettingKind kind : {SettingKind::kBuffer, SettingKind::kMaxRate, SettingKind::kTrust,
                                 SettingKind::kPause, SettingKind::kMtu, SettingKind::kDcbx})
    EXPECT_EQ(OwnerName(host, kind), "") << NameOf(kind);
}

TEST(SettingOwner, AReadOnlyLldpadOwnsNothing) {
  EXPECT_EQ(OwnerName(WithAgents({"lldpad -R"}), SettingKind::kPfc), "");
  EXPECT_EQ(OwnerName(WithAgents({"lldpd"}), SettingKind::kPfc), "");
  EXPECT_EQ(OwnerName(WithAgents({}), SettingKind::kPfc), "");
}

TEST(SettingOwner, LldpadTakesClassesAndRows) {
  const Facts host = WithAgents({"lldpad"});
  const SettingOwner ets =
      OwnerOf(host, OfDcb0(SettingKind::kEts),
              "willing off tsa ets,strict,strict,ets,strict,strict,strict,strict tx 50,0,0,50,0,0,0,0 prio "
              "0,0,0,3,0,0,0,0");
  EXPECT_THAT(StepsOf(ets.way),
              ElementsAre("lldptool -T -i dcb0 -V ETS-CFG enableTx=yes willing=no "
                          "tsa=0:ets,1:strict,2:strict,3:ets,4:strict,5:strict,6:strict,7:strict "
                          "up2tc=0:0,1:0,2:0,3:3,4:0,5:0,6:0,7:0 tcbw=50,0,0,50,0,0,0,0"));
  Facts with_row = host;
  with_row.ports = WithDcb([](Dcb& dcb) {
                     dcb.app = std::vector<AppEntry>{{AppSelector::kDscp, 4, 26}};
                   }).ports;
  const SettingOwner app = OwnerOf(with_row, OfDcb0(SettingKind::kApp), "dscp:26:3");
  EXPECT_THAT(StepsOf(app.way),
              ElementsAre("lldptool -T -i dcb0 -V APP app=3,5,26", "lldptool -T -i dcb0 -V APP -d app=4,5,26"));
}

TEST(SettingOwner, ANetworkManagerOwnsMtuAndPause) {
  const Facts host = NamedBy("/etc/NetworkManager/system-connections/roce1.nmconnection");
  const SettingOwner pause = OwnerOf(host, OfDcb0(SettingKind::kPause), "autoneg off rx off tx off");
  EXPECT_EQ(pause.name, "NetworkManager");
  EXPECT_FALSE(pause.writes_again);
  EXPECT_THAT(pause.why, HasSubstr("roce1.nmconnection"));
  EXPECT_THAT(StepsOf(pause.way),
              ElementsAre("nmcli connection modify \"$(nmcli -e no -g GENERAL.CONNECTION device show dcb0)\" "
                          "ethtool.pause-autoneg off ethtool.pause-rx off ethtool.pause-tx off"));
  EXPECT_THAT(StepsOf(OwnerOf(host, OfDcb0(SettingKind::kMtu), "9000").way),
              ElementsAre(HasSubstr("802-3-ethernet.mtu 9000")));
  EXPECT_EQ(OwnerName(host, SettingKind::kPfc), "");
}

TEST(SettingOwner, TheFileTellsTheNetworkManager) {
  const auto name = [](const Facts& host) { return OwnerName(host, SettingKind::kMtu); };
  EXPECT_EQ(name(NamedBy("/etc/systemd/network/20-storage.network")), "systemd-networkd");
  EXPECT_EQ(name(NamedBy("/run/systemd/network/10-netplan-dcb0.network")), "netplan");
  EXPECT_EQ(name(NamedBy("/etc/systemd/network/20-storage.network", "dcb", false)), "systemd-networkd");
  EXPECT_EQ(name(NamedBy("/etc/systemd/network/20-storage.network", "dcb", true)), "");
  EXPECT_EQ(name(NamedBy("/etc/nccl.conf")), "");
}

TEST(SettingOwner, TheNodeOwnsTheMtuOfAFunctionThatItGave) {
  const auto function = [](std::string_view netdev_of_physical) {
    return HardwareNic([&](Port&, PciFunction& pci) {
      pci.virtual_function = true;
      pci.physical = PhysicalFunction{.address = "0000:3b:00.0", .netdev = std::string(netdev_of_physical)};
    });
  };
  EXPECT_EQ(OwnerName(function(""), SettingKind::kMtu), "the node");
  EXPECT_EQ(OwnerName(function("ens1f0np0"), SettingKind::kMtu), "");
  EXPECT_EQ(OwnerName(HardwareNic([](Port&, PciFunction&) {}), SettingKind::kMtu), "");
}

Facts WithPod(const ClusterAgent& agent, std::string_view driver = "mlx5_core") {
  Facts host = On(driver, [](Netdev&) {});
  host.cluster_agents = std::vector<ClusterAgent>{agent};
  return host;
}

TEST(SettingOwner, APodOfTheClusterOwnsQos) {
  const ClusterAgent agent{.process = "bash", .pid = 7712, .pod = "nvidia/roce-qos-7tq2m", .by = "mlnx_qos"};
  for (const std::string_view driver : {"mlx5_core", "bnxt_en"}) {
    const Facts host = WithPod(agent, driver);
    const SettingOwner owner = OwnerOf(host, OfDcb0(SettingKind::kPfc), "on 3 delay 0");
    EXPECT_EQ(owner.name, "the pod nvidia/roce-qos-7tq2m");
    EXPECT_TRUE(owner.writes_again);
    EXPECT_THAT(StepsOf(owner.way),
                ElementsAre(AllOf(HasSubstr("DaemonSet, ConfigMap or policy of the pod nvidia/roce"),
                                  HasSubstr("kubectl -n nvidia describe pod roce-qos-7tq2m"))));
    EXPECT_EQ(OwnerOf(host, {.kind = SettingKind::kCmTos, .where = "rxe0/1"}).name, owner.name);
    EXPECT_EQ(OwnerName(host, SettingKind::kMtu), "");
    EXPECT_EQ(OwnerName(host, SettingKind::kPause), "");
  }
}

TEST(SettingOwner, TheSriovOperatorOwnsTheMtuOfItsFunctions) {
  const ClusterAgent agent{.process = "sriov-network-c", .pid = 5120, .pod = "s/d", .by = "sriov-network-c"};
  Facts host = HardwareNic([](Port&, PciFunction&) {});
  host.cluster_agents = std::vector<ClusterAgent>{agent};
  EXPECT_EQ(OwnerName(host, SettingKind::kMtu), "");
  std::vector<Port> ports = *host.ports;
  Port function = ports.front();
  PciFunction pci = *function.pci;
  pci.physical = PhysicalFunction{.address = pci.address};
  pci.address = "0000:3b:00.2";
  pci.virtual_function = true;
  function.pci = pci;
  function.device = "mlx5_2";
  function.netdev = Missing{};
  ports.push_back(function);
  host.ports = ports;
  const SettingOwner owner = OwnerOf(host, OfDcb0(SettingKind::kMtu), "9000");
  EXPECT_EQ(owner.name, "the pod s/d");
  EXPECT_THAT(StepsOf(owner.way), ElementsAre(HasSubstr("kubectl get sriovnetworknodepolicies -A")));
  EXPECT_EQ(OwnerName(host, SettingKind::kPfc), "");
}

TEST(SettingOwner, SystemdNetworkdKeepsNoFlowControl) {
  const Facts host = NamedBy("/etc/systemd/network/20-storage.network");
  EXPECT_EQ(OwnerName(host, SettingKind::kPause), "");
  EXPECT_EQ(OwnerName(host, SettingKind::kMtu), "systemd-networkd");
}

Facts WithBootWrites(std::vector<BootWrite> writes) {
  Facts host = GoodHost();
  host.boot_writes = std::move(writes);
  return host;
}

BootWrite UnitWrite(std::string setting, std::string value, std::string object = "dcb0") {
  constexpr const char* kUnit = "/etc/systemd/system/roce-qos.service";
  return {.file = kUnit,
          .started = kUnit,
          .setting = std::move(setting),
          .object = std::move(object),
          .value = std::move(value)};
}

TEST(SettingOwner, AFileOfTheBootOwnsWhatItSetsOtherwise) {
  const SettingOwner owner =
      OwnerOf(WithBootWrites({UnitWrite("pfc", "4")}), OfDcb0(SettingKind::kPfc), "on 3 delay 0");
  EXPECT_EQ(owner.name, "/etc/systemd/system/roce-qos.service");
  EXPECT_FALSE(owner.writes_again);
  EXPECT_THAT(StepsOf(owner.way),
              ElementsAre(HasSubstr("change /etc/systemd/system/roce-qos.service, which sets PFC")));
  const auto name = [](const BootWrite& write, SettingKind kind, std::string_view to) {
    return OwnerOf(WithBootWrites({write}), OfDcb0(kind), to).name;
  };
  EXPECT_EQ(name(UnitWrite("pfc", "3"), SettingKind::kPfc, "on 3 delay 0"), "") << "it sets the same";
  EXPECT_EQ(name(UnitWrite("pfc", "4", "dcb1"), SettingKind::kPfc, "on 3 delay 0"), "");
  EXPECT_EQ(name(UnitWrite("pfc", "4"), SettingKind::kPfc, ""), "") << "nothing to compare it with";
  EXPECT_NE(name(UnitWrite("pfc", "4", ""), SettingKind::kPfc, "on 3 delay 0"), "") << "named by a variable";
  EXPECT_NE(name(UnitWrite("dcb", "ets"), SettingKind::kEts, ""), "");
  EXPECT_EQ(name(UnitWrite("dcb", "ets"), SettingKind::kApp, ""), "");
  const SettingObject tos{.kind = SettingKind::kCmTos, .where = "rxe0/1"};
  EXPECT_NE(OwnerOf(WithBootWrites({UnitWrite("tos", "24", "rxe0")}), tos, "106").name, "");
  EXPECT_EQ(OwnerOf(WithBootWrites({UnitWrite("tos", "106", "rxe0")}), tos, "106").name, "");
}

Facts WithBootSettings(std::vector<BootWrite> writes) {
  Facts host = GoodHost();
  host.boot_settings = BootSettings{.writes = std::move(writes)};
  return host;
}

BootWrite FileWrite(std::string file, std::string setting, std::string object, std::string value) {
  return {.file = file,
          .started = file,
          .setting = std::move(setting),
          .object = std::move(object),
          .value = std::move(value)};
}

constexpr const char* kUnitFile = "/etc/systemd/system/site.service";
constexpr const char* kIgnore = "net.ipv4.conf.all.arp_ignore";

TEST(SettingOwner, AFileOfTheBootOwnsAnotherMtu) {
  const auto owner = [](const BootWrite& write) {
    return OwnerOf(WithBootSettings({write}), OfDcb0(SettingKind::kMtu), "9000");
  };
  const SettingOwner unit = owner(FileWrite(kUnitFile, "mtu", "dcb0", "1500"));
  EXPECT_EQ(unit.name, kUnitFile);
  EXPECT_TRUE(unit.at_boot);
  EXPECT_THAT(StepsOf(unit.way),
              ElementsAre("for the next boot: change /etc/systemd/system/site.service, which sets MTU of dcb0 "
                          "otherwise"));
  EXPECT_TRUE(owner(FileWrite(kUnitFile, "mtu", "dcb0", "9000")).empty()) << "it sets the same";
  EXPECT_TRUE(owner(FileWrite(kUnitFile, "mtu", "dcb1", "1500")).empty());
  EXPECT_THAT(StepsOf(owner(FileWrite(kUnitFile, "mtu", "", "1500")).way),
              ElementsAre(HasSubstr("see that /etc")));
  EXPECT_THAT(StepsOf(owner(FileWrite(kUnitFile, "mtu", "dcb0", "*")).way),
              ElementsAre(HasSubstr("see that /etc")));
  EXPECT_THAT(StepsOf(owner(FileWrite("/usr/lib/systemd/network/10-x.link", "mtu", "dcb0", "1500")).way),
              ElementsAre(HasSubstr("copy /usr/lib/systemd/network/10-x.link to /etc")));
  EXPECT_THAT(StepsOf(owner(FileWrite("/run/systemd/network/10-netplan-dcb0.link", "mtu", "dcb0", "1500")).way),
              ElementsAre(HasSubstr("in /etc/netplan, which makes")));
}

TEST(SettingOwner, TheFirstLinkFileThatMatchesHolds) {
  const auto name = [](std::vector<BootWrite> writes) {
    return OwnerOf(WithBootSettings(std::move(writes)), OfDcb0(SettingKind::kMtu), "9000").name;
  };
  const BootWrite first = FileWrite("/etc/systemd/network/10-a.link", "match", "dcb0", "");
  const BootWrite second = FileWrite("/etc/systemd/network/20-b.link", "mtu", "dcb0", "1500");
  EXPECT_EQ(name({second}), "/etc/systemd/network/20-b.link");
  EXPECT_EQ(name({first, second}), "");
  EXPECT_EQ(name({FileWrite("/etc/systemd/network/10-a.link", "match", "dcb1", ""), second}),
            "/etc/systemd/network/20-b.link");
}

TEST(SettingOwner, ALinkFileMatchesThePermanentAddress) {
  const auto name = [](const std::string& object, const Fact<std::string>& permanent) {
    Facts host = On("mlx5_core", [&permanent](Netdev& netdev) {
      netdev.mac = "02:00:00:00:00:0b";
      netdev.permanent_mac = permanent;
    });
    host.boot_settings =
        BootSettings{.writes = {FileWrite("/etc/systemd/network/10-a.link", "mtu", object, "1500")}};
    return OwnerOf(host, OfDcb0(SettingKind::kMtu), "9000").name;
  };
  EXPECT_NE(name("02:00:00:00:00:01", std::string("02:00:00:00:00:01")), "");
  EXPECT_EQ(name("02:00:00:00:00:0b", std::string("02:00:00:00:00:01")), "") << "the address of its bond";
  EXPECT_NE(name("02:00:00:00:00:0b", Missing{}), "");
  EXPECT_NE(name("driver=mlx5_core", Missing{}), "");
  EXPECT_EQ(name("driver=bnxt_en", Missing{}), "");
}

TEST(SettingOwner, AFileOfTheBootOwnsLinkLevelPause) {
  const auto name = [](const std::string& value) {
    return OwnerOf(WithBootSettings({FileWrite(kUnitFile, "pause", "dcb0", value)}),
                   OfDcb0(SettingKind::kPause), "autoneg off rx off tx off")
        .name;
  };
  EXPECT_EQ(name("autoneg off rx on tx on"), kUnitFile);
  EXPECT_EQ(name("rx off tx on"), kUnitFile);
  EXPECT_EQ(name("autoneg off rx off tx off"), "");
  EXPECT_EQ(name("rx off tx off"), "") << "it leaves the rest alone";
}

TEST(SettingOwner, AFileOfTheBootOwnsASysctl) {
  const auto owner = [](std::vector<BootWrite> writes) {
    return OwnerOf(WithBootSettings(std::move(writes)), {.kind = SettingKind::kSysctl, .name = kIgnore}, "2");
  };
  const BootWrite site = FileWrite("/etc/sysctl.d/99-site.conf", "sysctl", kIgnore, "0");
  EXPECT_THAT(
      StepsOf(owner({site}).way),
      ElementsAre(HasSubstr("change /etc/sysctl.d/99-site.conf, which sets net.ipv4.conf.all.arp_ignore")));
  EXPECT_TRUE(owner({FileWrite(kUnitFile, "sysctl", kIgnore, "2")}).empty());
  EXPECT_TRUE(owner({FileWrite(kUnitFile, "sysctl", "net.ipv4.conf.all.rp_filter", "0")}).empty());
  const BootWrite pattern =
      FileWrite("/usr/lib/sysctl.d/50-default.conf", "sysctl", "net.ipv4.conf.*.arp_ignore", "0");
  EXPECT_THAT(
      StepsOf(owner({pattern}).way),
      ElementsAre(HasSubstr("set net.ipv4.conf.all.arp_ignore = 2 in /etc/sysctl.d, in a file whose name "
                            "comes after 50-default.conf")));
  EXPECT_TRUE(owner({pattern, FileWrite("/etc/sysctl.d/1.conf", "sysctl", kIgnore, "")}).empty());
  EXPECT_TRUE(owner({FileWrite("/etc/sysctl.d/1.conf", "sysctl", kIgnore, "2"), pattern}).empty());
}

// sysctl.d(5): of files a name goes before a pattern. A command runs apart from them.
TEST(SettingOwner, ASysctlCommandOfAVariableStaysBesideAFile) {
  const auto steps = [](std::vector<BootWrite> writes) {
    return StepsOf(
        OwnerOf(WithBootSettings(std::move(writes)), {.kind = SettingKind::kSysctl, .name = kIgnore}, "2").way);
  };
  const BootWrite command = FileWrite("/etc/rc.local", "sysctl", "net.ipv4.conf.*.arp_ignore", "0");
  const BootWrite file = FileWrite("/etc/sysctl.d/50-site.conf", "sysctl", kIgnore, "2");
  EXPECT_THAT(steps({file, command}), ElementsAre(HasSubstr("see that /etc/rc.local sets")));
  EXPECT_THAT(steps({command}), ElementsAre(HasSubstr("see that /etc/rc.local sets")));
}

TEST(SettingOwner, TheLinkFileThatUdevAppliedHolds) {
  const BootWrite second = FileWrite("/etc/systemd/network/20-b.link", "mtu", "dcb0", "1500");
  const BootWrite shared = FileWrite("/etc/systemd/network/30-c.link", "mtu", "", "1500");
  const auto name = [&](const char* applied) {
    const BootWrite record{.file = applied, .started = applied, .setting = "applied", .object = "dcb0"};
    return OwnerOf(WithBootSettings({second, shared, record}), OfDcb0(SettingKind::kMtu), "9000").name;
  };
  EXPECT_EQ(name("/etc/systemd/network/20-b.link"), "/etc/systemd/network/20-b.link");
  EXPECT_EQ(name("/etc/systemd/network/30-c.link"), "/etc/systemd/network/20-b.link")
      << "it comes first from now on";
  EXPECT_EQ(name("/run/systemd/network/10-a.link"), "") << "an earlier one matched";
}

TEST(SettingOwner, ADropInGoesWithItsFile) {
  const auto name = [](const char* object, const char* value) {
    BootWrite drop_in = FileWrite("/etc/systemd/network/20-b.link.d/x.conf", "mtu", object, value);
    drop_in.started = "/usr/lib/systemd/network/20-b.link";
    return OwnerOf(
               WithBootSettings({drop_in, FileWrite("/etc/systemd/network/30-c.link", "mtu", "dcb0", "1500")}),
               OfDcb0(SettingKind::kMtu), "9000")
        .name;
  };
  EXPECT_EQ(name("dcb0", "9000"), "");
  EXPECT_EQ(name("dcb0", "1500"), "/etc/systemd/network/20-b.link.d/x.conf");
  EXPECT_EQ(name("dcb1", "1500"), "/etc/systemd/network/30-c.link");
}

TEST(SettingOwner, NobodyIsSentToAFileThatIsMadeAnew) {
  EXPECT_TRUE(IsMadeAnew("/usr/lib/sysctl.d/50-a.conf"));
  EXPECT_TRUE(IsMadeAnew("/lib/systemd/network/10-a.link"));
  EXPECT_TRUE(IsMadeAnew("/run/systemd/network/10-a.network"));
  EXPECT_TRUE(IsMadeAnew("/usr/sbin/qos.sh"));
  EXPECT_FALSE(IsMadeAnew("/usr/local/sbin/qos.sh"));
  EXPECT_FALSE(IsMadeAnew("/etc/rc.local"));
  BootWrite write = FileWrite("/usr/lib/site/qos.sh", "pfc", "dcb0", "4");
  write.started = "/etc/systemd/system/qos.service";
  const SettingOwner owner = OwnerOf(WithBootWrites({write}), OfDcb0(SettingKind::kPfc), "on 3 delay 0");
  EXPECT_THAT(StepsOf(owner.way),
              ElementsAre(HasSubstr("copy /usr/lib/site/qos.sh to /etc, change the copy, and let "
                                    "/etc/systemd/system/qos.service run it")));
}

TEST(SettingOwner, AFileOfTheBootStaysBesideANetworkManager) {
  Facts host = NamedBy("/etc/systemd/network/20-storage.network");
  const auto steps = [&host](const BootWrite& write) {
    host.boot_settings = BootSettings{.writes = {write}};
    return StepsOf(OwnerOf(host, OfDcb0(SettingKind::kMtu), "9000").way);
  };
  EXPECT_THAT(
      steps(FileWrite(kUnitFile, "mtu", "dcb0", "1500")),
      ElementsAre(HasSubstr("20-storage.network"), HasSubstr("change /etc/systemd/system/site.service")));
  EXPECT_THAT(steps(FileWrite("/etc/systemd/network/20-storage.network", "mtu", "dcb0", "1500")),
              ElementsAre(HasSubstr("20-storage.network")));
  Facts netplan = NamedBy("/run/systemd/network/10-netplan-dcb0.network");
  netplan.boot_settings = BootSettings{.writes = {FileWrite("/etc/netplan/01.yaml", "mtu", "dcb0", "1500")}};
  EXPECT_THAT(StepsOf(OwnerOf(netplan, OfDcb0(SettingKind::kMtu), "9000").way),
              ElementsAre(HasSubstr("in /etc/netplan/01.yaml too")));
}

TEST(SettingOwner, ItsWayComesFirst) {
  const Remedy direct = Fix("ethtool -A dcb0 rx off tx off").Caution("the link goes down").remedy();
  const SettingOwner beside{
      .name = "NetworkManager", .why = "it sets it again", .way = Fix("nmcli x").remedy()};
  const Remedy both = WithOwner(direct, beside);
  EXPECT_EQ(both.owner, "NetworkManager");
  EXPECT_THAT(both.cautions, ElementsAre("it sets it again", "the link goes down"));
  EXPECT_THAT(StepsOf(both), ElementsAre("nmcli x", "ethtool -A dcb0 rx off tx off"));
}

TEST(SettingOwner, NothingIsSetBesideAnOwnerThatWritesAgain) {
  const Remedy direct =
      Fix("dcb pfc set dev dcb0 prio-pfc 3:on").Do("set the switch port too", StepSite::kSwitch).remedy();
  const SettingOwner owner{.name = "lldpad",
                           .why = "lldpad runs",
                           .writes_again = true,
                           .way = Fix("lldptool -T -i dcb0 -V PFC enabled=3").Or("stop it").remedy()};
  const Remedy remedy = WithOwner(direct, owner);
  EXPECT_THAT(StepsOf(remedy), ElementsAre("lldptool -T -i dcb0 -V PFC enabled=3", "set the switch port too"));
  EXPECT_THAT(remedy.alternatives, ElementsAre("stop it"));
  EXPECT_EQ(AdviceOf(owner), "lldptool -T -i dcb0 -V PFC enabled=3; or stop it");
}

TEST(SettingOwner, ARemedyByTheOwnerStays) {
  const Remedy own = Fix("lldptool set-tlv -i dcb0 -V PFC willing=no").remedy();
  const SettingOwner owner{
      .name = "lldpad", .why = "lldpad runs", .writes_again = true, .way = Fix("lldptool -T").remedy()};
  EXPECT_THAT(StepsOf(WithOwner(own, owner)), ElementsAre("lldptool set-tlv -i dcb0 -V PFC willing=no"));
  EXPECT_EQ(WithOwner(own, owner).owner, "lldpad");
  const SettingOwner in_words{.name = "lldpad",
                              .why = "lldpad runs",
                              .writes_again = true,
                              .way = Fix("# set it in lldpad with lldptool -T -i dcb0").remedy()};
  EXPECT_THAT(StepsOf(WithOwner(own, in_words)), ElementsAre("lldptool set-tlv -i dcb0 -V PFC willing=no"));
  EXPECT_THAT(StepsOf(WithOwner(Remedy(), owner)), IsEmpty());
  EXPECT_EQ(WithOwner(own, SettingOwner()), own);
}

}  // namespace
}  // namespace rdmaready
