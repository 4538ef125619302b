// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/persist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checks/plan/plan.h"
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
  EXPECT_TRUE(Holds(paths, "/etc/systemd/network/10-rdma-dcb0.link"));
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

TEST(PersistFiles, AddsTheMtuToTheLinkFileThatMatches) {
  const PersistFile file =
      MtuFileOf(WithBootSettings({MtuWrite("/etc/systemd/network/05-a.link", "match", "")}));
  EXPECT_EQ(file.path, "/etc/systemd/network/05-a.link");
  EXPECT_EQ(file.content, "[Link]\nMTUBytes=9000\n");
  EXPECT_TRUE(file.exists_already);
}

TEST(PersistFiles, NamesWhatCouldNotBeRead) {
  const PersistFile file = MtuFileOf(WithBootSettings({}, {"/etc/netplan"}));
  EXPECT_NE(file.note.find("/etc/netplan could not be read, and may set it at the next boot"),
            std::string::npos)
      << file.note;
}

TEST(PersistFiles, MatchesThePermanentAddress) {
  Facts host = On("mlx5_core", [](Netdev& netdev) {
    netdev.mtu_bytes = 9000;
    netdev.mac = "02:00:00:00:00:0b";
    netdev.permanent_mac = std::string("02:00:00:00:00:01");
    netdev.master = "br0";
  });
  EXPECT_NE(MtuFileOf(host).content.find("MACAddress=02:00:00:00:00:01\n"), std::string::npos);
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
  EXPECT_EQ(file.path, "/etc/systemd/network/10-rdma-bond0.link");
  EXPECT_NE(file.content.find("OriginalName=bond0\n"), std::string::npos) << file.content;
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
  EXPECT_TRUE(Holds(paths, "/etc/systemd/network/10-rdma-br0.link"));
  EXPECT_TRUE(Holds(paths, "/etc/systemd/network/10-rdma-dcb0.link"));
}

// Two interfaces in one subnet, with arp_ignore as it is wanted.
std::vector<PersistFile> SysctlFilesOf(const std::vector<BootWrite>& writes) {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  std::vector<Subnet> subnets = *ports.front().subnets;
  if (subnets.empty()) subnets.emplace_back();
  subnets.front().shared_with = {{.netdev = "eth9"}};
  ports.front().subnets = subnets;
  host.ports = ports;
  host.sysctls = std::vector<Sysctl>{{"net.ipv4.conf.all.arp_ignore", 2}};
  host.boot_settings = BootSettings{.writes = writes};
  std::vector<PersistFile> files = KeptPlanOf(host).persist;
  std::erase_if(files,
                [](const PersistFile& file) { return file.content.find("arp_ignore") == std::string::npos; });
  return files;
}

TEST(PersistFiles, WritesNoSecondFileForAKeptSysctl) {
  const auto write = [](const char* file, const char* value) {
    return BootWrite{.file = file,
                     .started = file,
                     .setting = "sysctl",
                     .object = "net.ipv4.conf.all.arp_ignore",
                     .value = value};
  };
  constexpr const char* kOurs = "/etc/sysctl.d/90-rdmaready.conf";
  ASSERT_EQ(SysctlFilesOf({}).size(), 1U);
  EXPECT_EQ(SysctlFilesOf({}).front().path, kOurs);
  EXPECT_TRUE(SysctlFilesOf({write("/etc/sysctl.d/50-site.conf", "2")}).empty());
  EXPECT_EQ(SysctlFilesOf({write("/etc/sysctl.d/50-site.conf", "0")}).front().path, kOurs)
      << "ours comes later";
  const std::vector<PersistFile> later = SysctlFilesOf({write("/etc/sysctl.d/99-site.conf", "0")});
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later.front().path, "/etc/sysctl.d/99-site.conf");
  EXPECT_TRUE(later.front().exists_already);
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
