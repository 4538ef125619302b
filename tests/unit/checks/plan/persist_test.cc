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

}  // namespace
}  // namespace rdmaready
