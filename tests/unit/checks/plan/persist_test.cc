// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/persist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checks/plan/plan.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Plan KeptPlanOf(const Facts& host) {
  const Profile profile = VirtualFabricProfile();
  return MakePlan(HostParts(host, profile), {.persist = true});
}

std::vector<std::string> PathsKept(const Facts& host) {
  std::vector<std::string> paths;
  for (const PersistFile& file : KeptPlanOf(host).persist) paths.push_back(file.path);
  return paths;
}

bool Holds(const std::vector<std::string>& paths, std::string_view path) {
  return std::ranges::find(paths, path) != paths.end();
}

constexpr const char* kDcbUnit = "/etc/systemd/system/rdma-dcb-dcb0.service";
constexpr const char* kTosRule = "/etc/udev/rules.d/90-rdma-tos.rules";

TEST(PersistFiles, WritesNoSecondFileForAKeptSetting) {
  const std::vector<std::string> paths = PathsKept(GoodHost());
  EXPECT_FALSE(Holds(paths, kDcbUnit));
  EXPECT_FALSE(Holds(paths, kTosRule));
  EXPECT_TRUE(Holds(paths, "/etc/systemd/system/rdma-mtu-dcb0.service"));
}

TEST(PersistFiles, WritesNoFileForAPodsSettings) {
  Facts host = GoodHost();
  host.dcb_keepers = std::vector<std::string>{};
  host.tos_keepers = std::vector<std::string>{};
  EXPECT_TRUE(Holds(PathsKept(host), kDcbUnit));
  EXPECT_TRUE(Holds(PathsKept(host), kTosRule));
  host.cluster_agents = std::vector<ClusterAgent>{{.process = "bash", .pid = 7712, .by = "mlnx_qos"}};
  EXPECT_FALSE(Holds(PathsKept(host), kDcbUnit));
  EXPECT_FALSE(Holds(PathsKept(host), kTosRule));
}

TEST(PersistFiles, NamesAFileThatSetsAnotherPriorityAtBoot) {
  Facts host = GoodHost();
  host.dcb_keepers = std::vector<std::string>{"/etc/rc.local"};
  host.boot_writes = std::vector<BootWrite>{
      {.file = "/etc/rc.local", .started = "/etc/rc.local", .setting = "pfc", .object = "dcb0", .value = "4"}};
  const Plan plan = KeptPlanOf(host);
  const auto unit = std::ranges::find(plan.persist, kDcbUnit, &PersistFile::path);
  ASSERT_NE(unit, plan.persist.end());
  EXPECT_TRUE(unit->exists_already);
  EXPECT_NE(unit->note.find("/etc/rc.local sets PFC on 4 at boot"), std::string::npos) << unit->note;
}

// ---- MTU and sysctls ----

Facts WithBootSettings(std::vector<BootWrite> writes, std::vector<std::string> unread = {}) {
  Facts host = GoodHost();
  host.boot_settings = BootSettings{.writes = std::move(writes), .unread = std::move(unread)};
  return host;
}

BootWrite MtuWrite(const char* file, const char* setting, const char* value) {
  return {.file = file, .started = file, .setting = setting, .object = "dcb0", .value = value};
}

// The file that has to do with the interface's MTU; its path is empty where no file has.
PersistFile MtuFileOf(const Facts& host) {
  for (const PersistFile& file : KeptPlanOf(host).persist) {
    const bool mtu =
        file.content.find("MTUBytes") != std::string::npos || file.note.find("MTU") != std::string::npos;
    if (mtu) return file;
  }
  return {};
}

TEST(PersistFiles, WritesNoSecondFileForAKeptMtu) {
  EXPECT_EQ(MtuFileOf(WithBootSettings({MtuWrite("/etc/rc.local", "mtu", "9000")})).path, "");
  const PersistFile wrong = MtuFileOf(WithBootSettings({MtuWrite("/etc/rc.local", "mtu", "1500")}));
  EXPECT_EQ(wrong.path, "/etc/rc.local");
  EXPECT_TRUE(wrong.exists_already);
  EXPECT_NE(wrong.note.find("change /etc/rc.local"), std::string::npos) << wrong.note;
}

// A NIC of hardware, and the .link file that udev applied to it; empty: not known.
Facts WithNic(const std::string& applied, std::vector<BootWrite> writes = {}) {
  Facts host = On("mlx5_core", [](Netdev& netdev) {
    netdev.mtu_bytes = 9000;
    netdev.permanent_mac = std::string("02:00:00:00:00:01");
    netdev.driver_info = DriverInfo{.bus = "0000:3b:00.0"};
  });
  if (!applied.empty())
    writes.push_back({.file = applied, .started = applied, .setting = "applied", .object = "dcb0"});
  host.boot_settings = BootSettings{.writes = std::move(writes)};
  return host;
}

constexpr const char* kDefaultLink = "/usr/lib/systemd/network/99-default.link";
constexpr const char* kOwnMtu = "# Made by rdmaready.\n[Link]\nMTUBytes=9000\n";

TEST(PersistFiles, AddsTheMtuToTheLinkFileThatMatches) {
  for (const char* folder : {"/etc/systemd/network/", "/usr/lib/systemd/network/", "/run/systemd/network/"}) {
    const std::string link = std::string(folder) + "05-a.link";
    const PersistFile file = MtuFileOf(WithBootSettings({MtuWrite(link.c_str(), "match", "")}));
    EXPECT_EQ(file.path, "/etc/systemd/network/05-a.link.d/rdma.conf");
    EXPECT_EQ(file.content, kOwnMtu);
    EXPECT_FALSE(file.exists_already);
    EXPECT_NE(file.note.find(link), std::string::npos) << file.note;
  }
}

TEST(PersistFiles, ADropInGoesBeforeTheMtuOfItsLinkFile) {
  const PersistFile file =
      MtuFileOf(WithBootSettings({MtuWrite("/etc/systemd/network/50-a.link", "mtu", "1500")}));
  EXPECT_EQ(file.path, "/etc/systemd/network/50-a.link.d/rdma.conf");
  EXPECT_EQ(file.content, kOwnMtu);
  BootWrite drop_in = MtuWrite("/etc/systemd/network/50-a.link.d/rdma.conf", "mtu", "9000");
  drop_in.started = "/etc/systemd/network/50-a.link";
  EXPECT_EQ(MtuFileOf(WithBootSettings({drop_in})).path, "") << "it is there already";
  drop_in.value = "4200";
  EXPECT_EQ(MtuFileOf(WithBootSettings({drop_in})).path, drop_in.file);
  EXPECT_TRUE(MtuFileOf(WithBootSettings({drop_in})).exists_already);
  drop_in.file = "/etc/systemd/network/50-a.link.d/site.conf";
  const PersistFile later = MtuFileOf(WithBootSettings({drop_in}));
  EXPECT_EQ(later.path, "/etc/systemd/network/50-a.link.d/site.rdma.conf") << "the last one by name holds";
  EXPECT_FALSE(later.exists_already);
}

// systemd 245 reads none (link_load_one in src/udev/net/link-config.c).
TEST(PersistFiles, WritesNoDropInWhereSystemdReadsNone) {
  const auto path = [](const char* id, std::vector<std::string> like, const char* version) {
    Facts host = WithBootSettings({MtuWrite("/etc/systemd/network/05-a.link", "match", "")});
    host.distribution = Distribution{.id = id, .like = std::move(like), .version = version};
    return MtuFileOf(host).path;
  };
  const char* unit = "/etc/systemd/system/rdma-mtu-dcb0.service";
  const char* drop_in = "/etc/systemd/network/05-a.link.d/rdma.conf";
  EXPECT_EQ(path("ubuntu", {"debian"}, "20.04"), unit);
  EXPECT_EQ(path("ubuntu", {"debian"}, "22.04"), drop_in);
  EXPECT_EQ(path("debian", {}, "11"), unit);
  EXPECT_EQ(path("debian", {}, "12"), drop_in);
  EXPECT_EQ(path("rocky", {"rhel", "centos", "fedora"}, "8.10"), unit);
  EXPECT_EQ(path("rocky", {"rhel", "centos", "fedora"}, "9.4"), drop_in);
  EXPECT_EQ(path("sles", {"suse"}, "15.6"), drop_in);
  EXPECT_EQ(path("sles", {"suse"}, "15.3"), unit);
  EXPECT_EQ(path("opensuse-leap", {"suse", "opensuse"}, "15.4"), drop_in);
  EXPECT_EQ(path("opensuse-tumbleweed", {"opensuse", "suse"}, "20240101"), drop_in);
  EXPECT_EQ(path("amzn", {"centos", "rhel", "fedora"}, "2"), unit);
  EXPECT_EQ(path("amzn", {"fedora"}, "2023"), drop_in);
  EXPECT_EQ(path("ol", {"fedora"}, "8.10"), unit);
  EXPECT_EQ(path("ol", {"fedora"}, "9.4"), drop_in);
  EXPECT_EQ(path("unheard", {"fedora"}, "1"), unit);
  EXPECT_EQ(path("arch", {}, ""), drop_in) << "no version: the newest";
}

// Their versions are those of the distribution below, or other numbers.
TEST(PersistFiles, WritesNoDropInWhereTheReleaseOfADerivativeIsNotKnown) {
  const auto is_drop_in = [](const char* id, std::vector<std::string> like, const char* version) {
    Facts host = WithBootSettings({MtuWrite("/etc/systemd/network/05-a.link", "match", "")});
    host.distribution = Distribution{.id = id, .like = std::move(like), .version = version};
    return MtuFileOf(host).path.ends_with("/rdma.conf");
  };
  EXPECT_TRUE(is_drop_in("pop", {"ubuntu", "debian"}, "22.04"));
  EXPECT_FALSE(is_drop_in("pop", {"ubuntu", "debian"}, "20.04"));
  EXPECT_FALSE(is_drop_in("linuxmint", {"ubuntu", "debian"}, "20.3")) << "Ubuntu 20.04";
  EXPECT_FALSE(is_drop_in("zorin", {"ubuntu", "debian"}, "16"));
  EXPECT_FALSE(is_drop_in("devuan", {"debian"}, "4"));
}

// netplan's file sorts before one of the site's, and says what udev calls the NIC.
TEST(PersistFiles, AddsTheMtuToTheLinkFileThatUdevApplied) {
  const char* netplan = "/run/systemd/network/10-netplan-dcb0.link";
  const PersistFile file = MtuFileOf(WithNic(netplan, {MtuWrite(netplan, "match", ""),
                                                       {.file = "/etc/systemd/network/50-site.link",
                                                        .started = "/etc/systemd/network/50-site.link",
                                                        .setting = "match",
                                                        .object = "02:00:00:00:00:01"}}));
  EXPECT_EQ(file.path, "/etc/systemd/network/10-netplan-dcb0.link.d/rdma.conf");
  EXPECT_EQ(file.content, kOwnMtu);
}

TEST(PersistFiles, LeavesALinkFileOfOtherInterfacesAsItIs) {
  const char* site = "/etc/systemd/network/50-site.link";
  const auto of = [site](std::vector<BootWrite> writes) { return MtuFileOf(WithNic(site, std::move(writes))); };
  BootWrite by_driver = MtuWrite(site, "match", "");
  by_driver.object = "driver=mlx5_core";
  BootWrite other = MtuWrite(site, "match", "");
  other.object = "eth9";
  for (const auto& writes :
       std::vector<std::vector<BootWrite>>{{}, {by_driver}, {MtuWrite(site, "match", ""), other}}) {
    const PersistFile file = of(writes);
    EXPECT_EQ(file.path, "/etc/systemd/system/rdma-mtu-dcb0.service");
    EXPECT_NE(file.content.find("ExecStart=ip link set dev dcb0 mtu 9000\n"), std::string::npos)
        << file.content;
    EXPECT_NE(file.note.find("50-site.link, the .link file that holds for it, stays as it is"),
              std::string::npos)
        << file.note;
  }
}

// It comes after the files of the site and of netplan, and gives the names that systemd's default gives.
TEST(PersistFiles, TakesThePlaceOfSystemdsDefaultAlone) {
  for (const char* applied : {kDefaultLink, "/lib/systemd/network/99-default.link", ""}) {
    const PersistFile file = MtuFileOf(WithNic(applied));
    EXPECT_EQ(file.path, "/etc/systemd/network/98-rdma-dcb0.link");
    EXPECT_NE(file.content.find("[Match]\nPermanentMACAddress=02:00:00:00:00:01\nPath=pci-0000:3b:00.0\n"),
              std::string::npos)
        << file.content;
    EXPECT_NE(file.content.find("NamePolicy=keep kernel database onboard slot path\n"), std::string::npos);
    EXPECT_EQ(file.note.find("is not known") != std::string::npos, std::string(applied).empty()) << file.note;
  }
  EXPECT_EQ(MtuFileOf(WithNic("/etc/systemd/network/99-default.link")).path,
            "/etc/systemd/system/rdma-mtu-dcb0.service")
      << "the site's own default may give other names";
}

TEST(PersistFiles, MatchesThePlaceWithoutAPermanentAddress) {
  Facts host = WithNic(kDefaultLink);
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.permanent_mac = Missing{Missing::Kind::kUnsupported, "the interface has none"};
  ports.front().netdev = netdev;
  host.ports = ports;
  const PersistFile file = MtuFileOf(host);
  EXPECT_NE(file.content.find("[Match]\nPath=pci-0000:3b:00.0\nType=ether\n"), std::string::npos)
      << file.content;
  EXPECT_EQ(file.content.find("MACAddress"), std::string::npos);
}

TEST(PersistFiles, NamesWhatCouldNotBeRead) {
  const PersistFile file = MtuFileOf(WithBootSettings({}, {"/etc/netplan"}));
  EXPECT_NE(file.note.find("/etc/netplan could not be read, and may set it at the next boot"),
            std::string::npos)
      << file.note;
}

// The members of a bond share its address.
TEST(PersistFiles, MatchesThePermanentAddressOfABridgesPort) {
  Facts host = WithNic(kDefaultLink);
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.mac = "02:00:00:00:00:0b";
  netdev.master = "br0";
  ports.front().netdev = netdev;
  host.ports = ports;
  EXPECT_NE(MtuFileOf(host).content.find("\nPermanentMACAddress=02:00:00:00:00:01\n"), std::string::npos);
}

TEST(PersistFiles, GivesTheMtuOfAMemberToItsBond) {
  Facts host = On("mlx5_core", [](Netdev& netdev) {
    netdev.mtu_bytes = 9000;
    netdev.master = "bond0";
  });
  std::vector<Port> ports = *host.ports;
  ports.front().uppers =
      std::vector<UpperNetdev>{{.name = "bond0", .kind = "bond", .over = {"dcb0"}, .mtu_bytes = 9000}};
  host.ports = ports;
  const PersistFile file = MtuFileOf(host);
  EXPECT_EQ(file.path, "/etc/systemd/system/rdma-mtu-bond0.service");
  EXPECT_NE(file.content.find("ExecStart=ip link set dev bond0 mtu 9000\n"), std::string::npos) << file.content;
}

// The VLAN of a bond: the kernel refuses its MTU until the bond has it, and the priorities are set all the
// same.
TEST(PersistFiles, SetsThePrioritiesOfABondsVlanFirst) {
  Facts host = WithVlan([](Port& port, UpperNetdev& vlan) {
    vlan.over = {"bond0"};
    Netdev netdev = *port.netdev;
    netdev.master = "bond0";
    port.netdev = netdev;
  });
  std::vector<Port> ports = *host.ports;
  std::vector<UpperNetdev> uppers{{.name = "bond0", .kind = "bond", .over = {"dcb0"}, .mtu_bytes = 9000}};
  uppers.insert(uppers.end(), ports.front().uppers->begin(), ports.front().uppers->end());
  ports.front().uppers = uppers;
  host.ports = ports;
  Profile profile = PcpProfile();
  profile.vlan_ids = std::vector<std::uint16_t>{711};
  const std::vector<PersistFile> files = MakePlan(HostParts(host, profile), {.persist = true}).persist;
  const auto unit =
      std::ranges::find(files, "/etc/systemd/system/rdma-vlan-dcb0.711.service", &PersistFile::path);
  ASSERT_NE(unit, files.end());
  const std::size_t priorities =
      unit->content.find("ExecStart=ip link set dev dcb0.711 type vlan egress-qos-map 0:3\n");
  const std::size_t mtu = unit->content.find("ExecStart=-ip link set dev dcb0.711 mtu 9000\n");
  ASSERT_NE(priorities, std::string::npos) << unit->content;
  ASSERT_NE(mtu, std::string::npos) << unit->content;
  EXPECT_LT(priorities, mtu);
  EXPECT_NE(unit->content.find(".device rdma-mtu-bond0.service\n"), std::string::npos) << unit->content;
  EXPECT_TRUE(std::ranges::any_of(files, [](const PersistFile& file) {
    return file.path == "/etc/systemd/system/rdma-mtu-bond0.service";
  }));
}

// The bridge gets the step and the file.
TEST(PersistFiles, GivesTheMtuToTheBridgeThatHasTheAddress) {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.master = "br0";
  ports.front().netdev = netdev;
  ports.front().uppers = std::vector<UpperNetdev>{
      {.name = "br0",
       .kind = "bridge",
       .over = {"dcb0"},
       .mtu_bytes = 1500,
       .addresses = std::vector<IpAddress>{{.address = "10.0.0.1", .prefix_length = 24}}}};
  host.ports = ports;
  const Plan plan = KeptPlanOf(host);
  const auto step =
      std::ranges::find(plan.steps, SettingKind::kMtu, [](const PlanStep& one) { return one.object.kind; });
  ASSERT_NE(step, plan.steps.end());
  EXPECT_EQ(step->object.where, "br0");
  EXPECT_EQ(step->to, "9000");
  const std::vector<std::string> paths = PathsKept(host);
  EXPECT_TRUE(Holds(paths, "/etc/systemd/system/rdma-mtu-br0.service"));
  EXPECT_TRUE(Holds(paths, "/etc/systemd/system/rdma-mtu-dcb0.service"));
}

// An InfiniBand port that no manager has configured, and opensm, which is given the GUID of another one.
Facts WithOpensm(std::uint64_t guid, std::vector<std::string> files) {
  Facts host = OnInfiniband([](Port& port) {
    port.ib.sm_lid = std::uint16_t{0};
    port.gids =
        std::vector<Gid>{{.index = 0,
                          .raw = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0xb8, 0x3f, 0xd2, 0x03, 0x00, 0xc2, 0x1a, 0x40},
                          .type = GidType::kIb}};
  });
  host.fabric_managers = std::vector<FabricManager>{{.name = "opensm",
                                                     .unit = "opensm.service",
                                                     .starts = true,
                                                     .files = files,
                                                     .ports = {{files.front(), guid}}}};
  return host;
}

std::vector<PersistFile> OpensmFiles(const Facts& host) {
  const Profile profile = InfinibandProfile();
  std::vector<PersistFile> files = MakePlan(HostParts(host, profile), {.persist = true}).persist;
  std::erase_if(files, [](const PersistFile& file) { return file.path.find("opensm") == std::string::npos; });
  return files;
}

TEST(PersistFiles, GivesOpensmTheGuidOfAPortThatItDoesNotManage) {
  const std::vector<PersistFile> files = OpensmFiles(WithOpensm(0x1234, {"/etc/rdma/opensm.conf"}));
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.front().path, "/etc/rdma/opensm.conf");
  EXPECT_EQ(files.front().content, "guid 0xb83fd20300c21a40\n");
  EXPECT_TRUE(files.front().exists_already);
  EXPECT_EQ(OpensmFiles(WithOpensm(0x1234, {"/etc/sysconfig/opensm"})).front().content,
            "GUIDS=\"0x0000000000001234 0xb83fd20300c21a40\"\n");
}

TEST(PersistFiles, LeavesOpensmAloneWhereItManagesThePort) {
  EXPECT_TRUE(OpensmFiles(WithOpensm(0xb83fd20300c21a40, {"/etc/rdma/opensm.conf"})).empty());
  Facts configured = WithOpensm(0x1234, {"/etc/rdma/opensm.conf"});
  std::vector<Port> ports = *configured.ports;
  ports.front().ib.sm_lid = std::uint16_t{1};
  configured.ports = ports;
  EXPECT_TRUE(OpensmFiles(configured).empty());
}

// ---- what no file keeps ----

std::vector<std::string> UnkeptWhats(const Facts& host, const Profile& profile, bool persist = true) {
  std::vector<std::string> whats;
  for (const PlanUnkept& one : MakePlan(HostParts(host, profile), {.persist = persist}).unkept)
    whats.push_back(one.what);
  return whats;
}

TEST(Unkept, NamesCongestionControlWithAUnitAndWithout) {
  Profile profile = VirtualFabricProfile();
  profile.cnp = Profile::Cnp{.dscp = 48, .priority = std::uint8_t{6}};
  Facts host = On("mlx5_core", [](Netdev&) {});
  std::vector<Port> ports = *host.ports;
  ports.front().congestion =
      CongestionControl{.source = "/sys/class/net/dcb0/ecn", .cnp_dscp = std::uint8_t{48}};
  host.ports = ports;
  const std::string cnp = "DSCP 48 and priority 6 of congestion notifications";
  host.dcb_keepers = std::vector<std::string>{};  // a unit is written
  EXPECT_EQ(UnkeptWhats(host, profile), std::vector<std::string>{cnp});
  host.dcb_keepers = std::vector<std::string>{"/etc/rc.local"};  // none is
  EXPECT_EQ(UnkeptWhats(host, profile), std::vector<std::string>{cnp});
  EXPECT_TRUE(UnkeptWhats(host, profile, false).empty());
  const auto at_boot = [](std::string value) {
    return BootSettings{
        .writes = {{.file = "/etc/rc.local", .setting = "cnp", .object = "dcb0", .value = std::move(value)}}};
  };
  host.boot_settings = at_boot("48");
  EXPECT_TRUE(UnkeptWhats(host, profile).empty()) << "a command of the boot writes it";
  host.boot_settings = at_boot("4");
  EXPECT_FALSE(UnkeptWhats(host, profile).empty());
  host.boot_settings = at_boot("*");
  EXPECT_FALSE(UnkeptWhats(host, profile).empty()) << "the command writes a variable";
  EXPECT_TRUE(UnkeptWhats(host, VirtualFabricProfile()).empty()) << "nobody asks for it";
  ports.front().congestion = Missing{Missing::Kind::kUnsupported, "no file of the driver has it"};
  host.ports = ports;
  EXPECT_TRUE(UnkeptWhats(host, profile).empty()) << "the driver has none";
}

TEST(Unkept, NamesAParameterThatAReloadTakesUp) {
  const Facts host = HardwareNic([](Port& port, PciFunction&) {
    port.devlink.parameters = std::vector<DevlinkParameter>{{.name = "enable_roce", .driverinit = "false"}};
  });
  const std::vector<PlanUnkept> unkept =
      MakePlan(HostParts(host, VirtualFabricProfile()), {.persist = true}).unkept;
  ASSERT_EQ(unkept.size(), 1U);
  EXPECT_NE(unkept.front().what.find("enable_roce"), std::string::npos) << unkept.front().what;
  EXPECT_NE(unkept.front().again.find("devlink dev reload"), std::string::npos) << unkept.front().again;
}

}  // namespace
}  // namespace rdmaready
