// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/persist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checks/plan/plan.h"
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

}  // namespace
}  // namespace rdmaready
