// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/boot_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checks/plan/plan.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr const char* kHead = "# Made by rdmaready.\n";

TEST(BootFilePath, IsOneOfAClosedList) {
  for (const char* path :
       {"/etc/systemd/network/98-rdma-dcb0.link", "/etc/systemd/network/50-a.link.d/rdma.conf",
        "/etc/systemd/network/20-a.network.d/rdma.conf", "/etc/systemd/network/50-a.link.d/site.rdma.conf",
        "/etc/systemd/system/rdma-mtu-bond0.service", "/etc/systemd/system/rdma-dcb-dcb0.service",
        "/etc/systemd/system/rdma-vlan-a\\x2db.service", "/etc/netplan/90-rdmaready-dcb0.yaml",
        "/etc/NetworkManager/conf.d/90-rdmaready-dcb0.conf", "/etc/sysctl.d/90-rdmaready.conf",
        "/etc/sysctl.d/99-site.rdmaready.conf", "/etc/udev/rules.d/90-rdma-tos.rules"})
    EXPECT_TRUE(IsBootFilePath(path)) << path;
}

TEST(BootFilePath, RefusesFilesOfTheSiteAndWaysOutOfTheFolder) {
  for (const char* path : {"",
                           "/etc/passwd",
                           "/etc/systemd/network/50-a.link",
                           "/etc/systemd/network/98-rdma-.link",
                           "/etc/systemd/network/50-a.link.d/site.conf",
                           "/etc/systemd/network/../x.link.d/rdma.conf",
                           "/etc/systemd/network/a/b.link.d/rdma.conf",
                           "/etc/systemd/network/.link.d/rdma.conf",
                           "/etc/systemd/network//50-a.link.d/rdma.conf",
                           "/etc/systemd/network/98-rdma-../../x.link",
                           "/etc/systemd/network/98-rdma-a\nb.link",
                           "/etc/systemd/network/98-rdma-a b.link",
                           "/etc/systemd/network/98-rdma-$a.link",
                           "/etc/systemd/system/sshd.service",
                           "/etc/systemd/system/rdma-mtu-.service",
                           "/etc/systemd/system/rdma-mtu-a/b.service",
                           "/etc/netplan/50-cloud-init.yaml",
                           "/etc/NetworkManager/system-connections/90-rdmaready-a.nmconnection",
                           "/etc/sysctl.d/99-site.conf",
                           "/etc/sysctl.d/.rdmaready.conf",
                           "/etc/udev/rules.d/91-rdma-tos.rules",
                           "/run/systemd/network/98-rdma-dcb0.link",
                           "etc/netplan/90-rdmaready-dcb0.yaml"})
    EXPECT_FALSE(IsBootFilePath(path)) << path;
}

TEST(BootFilePath, ClosesTheFilesOfNetplanAlone) {
  EXPECT_EQ(ModeOfBootFile("/etc/netplan/90-rdmaready-dcb0.yaml"), 0600U);
  EXPECT_EQ(ModeOfBootFile("/etc/systemd/network/98-rdma-dcb0.link"), 0644U);
}

TEST(BootLink, IsThatOfTheUnitsInterface) {
  const BootLink link = LinkOfBootFile("/etc/systemd/system/rdma-mtu-bond\\x2d0.service");
  EXPECT_EQ(
      link.path,
      "/etc/systemd/system/sys-subsystem-net-devices-bond\\x2d0.device.wants/rdma-mtu-bond\\x2d0.service");
  EXPECT_EQ(link.target, "/etc/systemd/system/rdma-mtu-bond\\x2d0.service");
  EXPECT_TRUE(IsBootLinkPath(link.path));
  for (const char* path : {"/etc/systemd/network/98-rdma-dcb0.link", "/etc/systemd/system/sshd.service"})
    EXPECT_EQ(LinkOfBootFile(path).path, "") << path;
  for (const char* path :
       {"", "/", "/etc/systemd/system/multi-user.target.wants/rdma-mtu-dcb0.service",
        "/etc/systemd/system/sys-subsystem-net-devices-dcb1.device.wants/rdma-mtu-dcb0.service",
        "/etc/systemd/system/sys-subsystem-net-devices-dcb0.device.wants/sshd.service"})
    EXPECT_FALSE(IsBootLinkPath(path)) << path;
}

// ---- what `apply --persist` writes of the files that a plan has ----

Facts Nic(std::vector<BootWrite> writes = {}) {
  Facts host = On("mlx5_core", [](Netdev& netdev) {
    netdev.mtu_bytes = 9000;
    netdev.permanent_mac = std::string("02:00:00:00:00:01");
    netdev.driver_info = DriverInfo{.bus = "0000:3b:00.0"};
  });
  host.boot_settings = BootSettings{.writes = std::move(writes)};
  return host;
}

Facts ManagedBy(const char* source, std::vector<BootWrite> writes = {}) {
  Facts host = Nic(std::move(writes));
  host.managed_interfaces = std::vector<NamedDevice>{{.device = "dcb0", .exact = true, .source = source}};
  return host;
}

constexpr SettingObject kNoObject{};

// The file that keeps the MTU of dcb0.
PersistFile MtuFile(const Facts& host) {
  const Profile profile = VirtualFabricProfile();
  const SettingObject mtu{.kind = SettingKind::kMtu, .where = "dcb0"};
  for (const PersistFile& file : MakePlan(HostParts(host, profile), {.persist = true}).persist)
    if (std::ranges::find(file.keeps, mtu) != file.keeps.end()) return file;
  return {};
}

TEST(PersistFilesOfManagers, AddsAFileBesideThoseThatCanHoldSecrets) {
  const PersistFile netplan = MtuFile(ManagedBy("/run/systemd/network/10-netplan-stor0.network"));
  EXPECT_EQ(netplan.path, "/etc/netplan/90-rdmaready-dcb0.yaml");
  EXPECT_EQ(netplan.content,
            std::string(kHead) + "network:\n  version: 2\n  ethernets:\n    \"stor0\":\n      mtu: 9000\n");
  EXPECT_TRUE(netplan.by_apply);
  const PersistFile manager = MtuFile(ManagedBy("/etc/NetworkManager/system-connections/a.nmconnection"));
  EXPECT_EQ(manager.path, "/etc/NetworkManager/conf.d/90-rdmaready-dcb0.conf");
  EXPECT_NE(manager.content.find("match-device=interface-name:=dcb0\nethernet.mtu=9000\n"), std::string::npos);
  EXPECT_NE(manager.note.find("an MTU of its own goes before it"), std::string::npos) << manager.note;
  EXPECT_TRUE(manager.by_apply);
}

TEST(PersistFilesOfManagers, AddsADropInToAFileOfNetworkd) {
  for (const char* folder : {"/run/systemd/network/", "/etc/systemd/network/"}) {
    const PersistFile file = MtuFile(ManagedBy((std::string(folder) + "20-a.network").c_str()));
    EXPECT_EQ(file.path, "/etc/systemd/network/20-a.network.d/rdma.conf");
    EXPECT_EQ(file.content, std::string(kHead) + "[Link]\nMTUBytes=9000\n");
    EXPECT_TRUE(file.by_apply);
  }
}

// A drop-in holds for each interface that the file matches.
TEST(PersistFilesOfManagers, LeavesAFileOfTwoInterfacesToAPerson) {
  for (const char* source :
       {"/etc/systemd/network/20-a.network", "/run/systemd/network/10-netplan-a.network"}) {
    Facts host = ManagedBy(source);
    EXPECT_TRUE(MtuFile(host).by_apply) << source;
    std::vector<NamedDevice> named = *host.managed_interfaces;
    named.push_back({.device = "dcb1", .exact = true, .source = source});
    host.managed_interfaces = named;
    EXPECT_FALSE(MtuFile(host).by_apply) << source;
    const BootWrite other{.file = source, .started = source, .setting = "match", .object = "02:00:00:00:00:09"};
    EXPECT_FALSE(MtuFile(ManagedBy(source, {other})).by_apply) << source;
    BootWrite own = other;
    own.object = "02:00:00:00:00:01";
    EXPECT_TRUE(MtuFile(ManagedBy(source, {own})).by_apply) << source;
  }
}

TEST(PersistFilesOfManagers, LeavesAFileThatNetworkdDoesNotUseToAPerson) {
  const auto with = [](const char* used) {
    return MtuFile(ManagedBy("/etc/systemd/network/20-a.network",
                             {{.file = used, .started = used, .setting = "networkd", .object = "dcb0"}}));
  };
  EXPECT_TRUE(with("/etc/systemd/network/20-a.network").by_apply);
  const PersistFile another = with("/etc/systemd/network/10-all.network");
  EXPECT_FALSE(another.by_apply);
  EXPECT_EQ(another.path, "/etc/systemd/network/20-a.network");
  EXPECT_NE(another.note.find("networkd uses /etc/systemd/network/10-all.network"), std::string::npos)
      << another.note;
}

TEST(PersistFilesOfManagers, LeavesAFileOfNetplanThatIsReadLaterToAPerson) {
  const BootWrite later{.file = "/etc/netplan/99-site.yaml",
                        .started = "/etc/netplan/99-site.yaml",
                        .setting = "mtu",
                        .object = "dcb0",
                        .value = "1500"};
  BootWrite earlier = later;
  earlier.file = earlier.started = "/etc/netplan/50-site.yaml";
  const PersistFile file = MtuFile(ManagedBy("/run/systemd/network/10-netplan-stor0.network", {later}));
  EXPECT_FALSE(file.by_apply) << file.path;
  EXPECT_EQ(file.path, later.file);
  EXPECT_TRUE(MtuFile(ManagedBy("/run/systemd/network/10-netplan-stor0.network", {earlier})).by_apply);
}

// Netplan would refuse all of its files if the site's definition went away and this file stayed.
TEST(PersistFilesOfManagers, LeavesAVlanOfNetplanToAPerson) {
  constexpr const char* kSource = "/run/systemd/network/10-netplan-a.network";
  for (const char* driver : {"vlan", "802.1Q VLAN Support", "team"}) {
    Facts host = ManagedBy(kSource);
    std::vector<Port> ports = *host.ports;
    Netdev netdev = *ports.front().netdev;
    netdev.driver = driver;
    ports.front().netdev = netdev;
    host.ports = ports;
    EXPECT_FALSE(MtuFile(host).by_apply) << driver;
  }
}

TEST(PersistFilesOfManagers, LeavesAConnectionToAPersonIfAnotherDefaultIsThere) {
  constexpr const char* kSource = "/etc/NetworkManager/system-connections/a.nmconnection";
  const auto with = [&](const char* file, const char* value) {
    return MtuFile(
        ManagedBy(kSource, {{.file = file, .started = file, .setting = "connection-mtu", .value = value}}));
  };
  constexpr const char* kSite = "/etc/NetworkManager/conf.d/99-site.conf";
  EXPECT_TRUE(with(kSite, "9000").by_apply);
  EXPECT_TRUE(with("/etc/NetworkManager/conf.d/90-rdmaready-dcb1.conf", "4200").by_apply);
  for (const char* value : {"1500", ""}) {
    EXPECT_FALSE(with(kSite, value).by_apply) << value;
    EXPECT_EQ(with(kSite, value).path, kSource) << value;
  }
}

// A NIC of a cloud that starts at 1460 bytes, and a profile that wants 1500.
PersistFile StandardMtuFile(const char* driver, const char* source = nullptr) {
  Facts host = Nic();
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.driver = driver;
  netdev.mtu_bytes = 1460;
  ports.front().netdev = netdev;
  ports.front().active_mtu_bytes = 1024;
  host.ports = ports;
  if (source != nullptr)
    host.managed_interfaces = std::vector<NamedDevice>{{.device = "dcb0", .exact = true, .source = source}};
  const Profile profile = Without([](Profile& one) {
    one.mtu_bytes = 1500;
    one.roce_mtu_bytes = 1024;
  });
  const SettingObject mtu{.kind = SettingKind::kMtu, .where = "dcb0"};
  for (const PersistFile& file : MakePlan(HostParts(host, profile), {.persist = true}).persist)
    if (std::ranges::find(file.keeps, mtu) != file.keeps.end()) return file;
  return {};
}

TEST(PersistFilesOfMtu, KeepTheStandardMtuWhereTheInterfaceMayStartAtAnother) {
  EXPECT_NE(StandardMtuFile("gve").content.find("MTUBytes=1500\n"), std::string::npos);
  const PersistFile managed = StandardMtuFile("mlx5_core", "/etc/systemd/network/20-a.network");
  EXPECT_EQ(managed.path, "/etc/systemd/network/20-a.network.d/rdma.conf");
  EXPECT_EQ(managed.content, std::string(kHead) + "[Link]\nMTUBytes=1500\n");
  EXPECT_EQ(StandardMtuFile("mlx5_core").path, "") << "the kernel gives it 1500";
}

TEST(LimitOfBootFile, NamesWhatAPersonHasToDo) {
  const auto netplan = [](const char* section) {
    return LimitOfBootFile(
        "/etc/netplan/90-rdmaready-a.yaml",
        std::string("network:\n  version: 2\n  ") + section + ":\n    \"a\":\n      mtu: 9000\n");
  };
  EXPECT_EQ(netplan("ethernets"), "");
  for (const char* section : {"bonds", "bridges"})
    EXPECT_NE(netplan(section).find("remove it together with the site's definition"), std::string::npos);
  for (const char* path : {"/etc/systemd/network/98-rdma-a.link", "/etc/systemd/network/50-a.link.d/rdma.conf"})
    EXPECT_NE(LimitOfBootFile(path, "").find("make the initramfs again"), std::string::npos) << path;
  EXPECT_EQ(LimitOfBootFile("/etc/systemd/network/50-a.network.d/rdma.conf", ""), "");
}

TEST(PersistFilesByApply, LeavesAFileOfTheSiteToAPerson) {
  const BootWrite write{
      .file = "/etc/rc.local", .started = "/etc/rc.local", .setting = "mtu", .object = "dcb0", .value = "1500"};
  const PersistFile file = MtuFile(Nic({write}));
  EXPECT_EQ(file.path, "/etc/rc.local");
  EXPECT_FALSE(file.by_apply);
}

const PersistFile* Find(const std::vector<PersistFile>& files, const char* path) {
  const auto found = std::ranges::find(files, path, &PersistFile::path);
  return found == files.end() ? nullptr : &*found;
}

TEST(PersistFilesByApply, LeaveUnitsAndRulesBesideFilesOfTheSiteToAPerson) {
  Facts host = GoodHost();
  host.dcb_keepers = std::vector<std::string>{};
  host.tos_keepers = std::vector<std::string>{};
  const Profile profile = VirtualFabricProfile();
  const auto files = [&] { return MakePlan(HostParts(host, profile), {.persist = true}).persist; };
  constexpr const char* kUnit = "/etc/systemd/system/rdma-dcb-dcb0.service";
  constexpr const char* kRule = "/etc/udev/rules.d/90-rdma-tos.rules";
  std::vector<PersistFile> alone = files();
  for (const char* path : {kUnit, kRule, "/etc/systemd/system/rdma-mtu-dcb0.service"}) {
    ASSERT_NE(Find(alone, path), nullptr) << path;
    EXPECT_TRUE(Find(alone, path)->by_apply) << path;
    EXPECT_EQ(std::ranges::find(Find(alone, path)->keeps, kNoObject), Find(alone, path)->keeps.end());
    EXPECT_FALSE(Find(alone, path)->keeps.empty()) << path;
  }
  const PersistFile* memlock = Find(alone, "/etc/security/limits.d/90-rdma.conf");
  ASSERT_NE(memlock, nullptr);
  EXPECT_FALSE(memlock->by_apply);
  host.dcb_keepers = std::vector<std::string>{"/etc/rc.local"};
  host.tos_keepers = std::vector<std::string>{"/etc/rc.local"};
  for (const PersistFile& file : files()) {
    EXPECT_FALSE(file.by_apply && (file.path == kUnit || file.path == kRule)) << file.path;
  }
}

// Another port's unit of ours is in nobody's way.
TEST(PersistFilesByApply, IgnoreAUnitOfOursForAnotherInterface) {
  Facts host = GoodHost();
  const char* other = "/etc/systemd/system/rdma-dcb-dcb9.service";
  host.dcb_keepers = std::vector<std::string>{other};
  host.boot_writes = std::vector<BootWrite>{
      {.file = other, .started = other, .setting = "pfc", .object = "dcb9", .value = "3"}};
  const Profile profile = VirtualFabricProfile();
  const std::vector<PersistFile> files = MakePlan(HostParts(host, profile), {.persist = true}).persist;
  const PersistFile* unit = Find(files, "/etc/systemd/system/rdma-dcb-dcb0.service");
  ASSERT_NE(unit, nullptr);
  EXPECT_TRUE(unit->by_apply);
  EXPECT_FALSE(unit->exists_already);
}

// ---- with files of an earlier order ----

TEST(PersistFilesAgain, MakeTheUnitOfAVlanWhole) {
  Facts host = WithVlan([](Port&, UpperNetdev&) {});
  Profile profile = PcpProfile();
  profile.vlan_ids = std::vector<std::uint16_t>{711};
  constexpr const char* kUnit = "/etc/systemd/system/rdma-vlan-dcb0.711.service";
  const auto content = [&] {
    const std::vector<PersistFile> files = MakePlan(HostParts(host, profile), {.persist = true}).persist;
    const PersistFile* unit = Find(files, kUnit);
    return unit == nullptr ? std::string() : unit->content;
  };
  const std::string first = content();
  ASSERT_NE(first.find("mtu 9000"), std::string::npos) << first;
  host.boot_settings = BootSettings{
      .writes = {{.file = kUnit, .started = kUnit, .setting = "mtu", .object = "dcb0.711", .value = "9000"}}};
  EXPECT_EQ(content(), first);
}

TEST(PersistFilesAgain, ReplaceAUnitAndARuleOfOursThatAreStale) {
  Facts host = GoodHost();
  constexpr const char* kUnit = "/etc/systemd/system/rdma-dcb-dcb0.service";
  constexpr const char* kRule = "/etc/udev/rules.d/90-rdma-tos.rules";
  host.dcb_keepers = std::vector<std::string>{kUnit};
  host.tos_keepers = std::vector<std::string>{kRule};
  // PFC is right there, and what else the unit sets is not known. The rule has the ToS of an earlier profile.
  host.boot_writes = std::vector<BootWrite>{
      {.file = kUnit, .started = kUnit, .setting = "pfc", .object = "dcb0", .value = "3"},
      {.file = kRule, .started = kRule, .setting = "tos", .value = "24"}};
  const Profile profile = VirtualFabricProfile();
  const std::vector<PersistFile> files = MakePlan(HostParts(host, profile), {.persist = true}).persist;
  for (const char* path : {kUnit, kRule}) {
    ASSERT_NE(Find(files, path), nullptr) << path;
    EXPECT_TRUE(Find(files, path)->by_apply) << path;
    EXPECT_TRUE(Find(files, path)->exists_already) << path;
  }
  EXPECT_NE(Find(files, kUnit)->content.find("prio-pfc"), std::string::npos);
  EXPECT_NE(Find(files, kRule)->content.find("echo 106 "), std::string::npos) << Find(files, kRule)->content;
}

// ---- the rule of the ToS, by what the files of the boot set ----

constexpr const char* kRuleOfTos = "/etc/udev/rules.d/90-rdma-tos.rules";

// The rule that a plan has for a host whose RDMA-CM has `tos` now, where `file` sets these.
PersistFile TosRule(const char* file, const std::vector<std::pair<const char*, const char*>>& writes,
                    std::uint8_t tos = 106) {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  for (Port& port : ports) port.cm_default_tos = tos;
  host.ports = ports;
  host.tos_keepers = std::vector<std::string>{file};
  std::vector<BootWrite> all;
  for (const auto& [object, value] : writes)
    all.push_back({.file = file, .started = file, .setting = "tos", .object = object, .value = value});
  host.boot_writes = all;
  const Profile profile = VirtualFabricProfile();
  const std::vector<PersistFile> files = MakePlan(HostParts(host, profile), {.persist = true}).persist;
  const PersistFile* found = Find(files, kRuleOfTos);
  return found == nullptr ? PersistFile() : *found;
}

TEST(TosRule, IsLeftOutWhereAFileHasTheValue) {
  for (const char* file : {kRuleOfTos, "/etc/rc.local"}) {
    for (const char* object : {"", "rxe0", "rxe0/1"}) {
      EXPECT_EQ(TosRule(file, {{object, "106"}}).path, "") << file << object;
      EXPECT_EQ(TosRule(file, {{object, "106"}}, 0).path, "") << "the next boot brings it: " << file << object;
    }
  }
}

TEST(TosRule, IsWrittenAnewWhereAFileHasAnotherValue) {
  for (const char* object : {"", "rxe0", "rxe0/1"}) {
    EXPECT_TRUE(TosRule(kRuleOfTos, {{object, "24"}}).by_apply) << object;
    const PersistFile site = TosRule("/etc/rc.local", {{object, "24"}});
    EXPECT_EQ(site.path, kRuleOfTos) << object;
    EXPECT_FALSE(site.by_apply) << object;
    EXPECT_NE(site.note.find("/etc/rc.local: another ToS is set there"), std::string::npos) << site.note;
  }
}

TEST(TosRule, IsWrittenForAValueThatIsNotKnownIfThePlanSetsIt) {
  const std::vector<std::vector<std::pair<const char*, const char*>>> unknown{
      {}, {{"", "*"}}, {{"rxe7", "24"}}, {{"rxe0/2", "24"}}, {{"rxe0", "24"}, {"rxe0", "106"}}};
  for (const auto& writes : unknown) {
    EXPECT_EQ(TosRule(kRuleOfTos, writes).path, "");
    EXPECT_TRUE(TosRule(kRuleOfTos, writes, 0).by_apply);
  }
}

TEST(PersistFilesAgain, ReplaceAUnitOfOursWithAnotherMtu) {
  constexpr const char* kUnit = "/etc/systemd/system/rdma-mtu-dcb0.service";
  Facts host = GoodHost();
  const auto with = [&](const char* mtu) {
    host.boot_settings = BootSettings{
        .writes = {{.file = kUnit, .started = kUnit, .setting = "mtu", .object = "dcb0", .value = mtu}}};
    return MtuFile(host);
  };
  EXPECT_EQ(with("4200").path, kUnit);
  EXPECT_TRUE(with("4200").by_apply);
  EXPECT_EQ(with("9000").path, "") << "it is there already";
}

TEST(PersistFilesByApply, LeaveTheRuleOfTheToSToAPersonIfOneDeviceIsOfNoOrder) {
  Facts host = GoodHost();
  host.tos_keepers = std::vector<std::string>{};
  const Profile profile = VirtualFabricProfile();
  constexpr const char* kRule = "/etc/udev/rules.d/90-rdma-tos.rules";
  const auto rule = [&](const std::vector<std::string>& ports) {
    const absl::StatusOr<HostParts> parts = HostParts::Divide(host, {&profile, 1}, ports);
    const std::vector<PersistFile> files = MakePlan(*parts, {.persist = true}).persist;
    const PersistFile* found = Find(files, kRule);
    return found == nullptr ? PersistFile() : *found;
  };
  EXPECT_TRUE(rule({}).by_apply);
  std::vector<Port> ports = *host.ports;
  ports.push_back(ports.front());
  ports.back().device = "rxe7";
  host.ports = ports;
  EXPECT_TRUE(rule({}).by_apply) << "both are in the order";
  const PersistFile one = rule({"rxe7/1"});
  EXPECT_EQ(one.path, kRule);
  EXPECT_FALSE(one.by_apply);
  EXPECT_NE(one.note.find("every RDMA device"), std::string::npos) << one.note;
}

}  // namespace
}  // namespace rdmaready
