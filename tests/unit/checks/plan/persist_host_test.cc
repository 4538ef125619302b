// SPDX-License-Identifier: Apache-2.0
// Files of checks/plan/persist.h that concern more than one interface: sysctls, and memory that may be locked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "checks/plan/persist.h"
#include "checks/plan/plan.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// Two interfaces in one subnet, with arp_ignore as it is wanted: by the variable of all interfaces, or by
// theirs.
std::vector<PersistFile> SysctlFilesOf(const std::vector<BootWrite>& writes, bool by_all = true) {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  std::vector<Subnet> subnets = *ports.front().subnets;
  if (subnets.empty()) subnets.emplace_back();
  subnets.front().netdev = "dcb0";
  subnets.front().own = {.address = "10.0.0.1", .prefix_length = 24};
  subnets.front().shared_with = {{.netdev = "eth9"}};
  ports.front().subnets = subnets;
  host.ports = ports;
  host.sysctls = std::vector<Sysctl>{{"net.ipv4.conf.all.arp_ignore", by_all ? 2U : 0U},
                                     {"net.ipv4.conf.dcb0.arp_ignore", by_all ? 0U : 2U},
                                     {"net.ipv4.conf.eth9.arp_ignore", by_all ? 0U : 2U}};
  host.boot_settings = BootSettings{.writes = writes};
  std::vector<PersistFile> files = MakePlan(HostParts(host, VirtualFabricProfile()), {.persist = true}).persist;
  std::erase_if(files,
                [](const PersistFile& file) { return file.content.find("arp_ignore") == std::string::npos; });
  return files;
}

BootWrite SysctlWrite(const char* file, const char* object, const char* value) {
  return {.file = file, .started = file, .setting = "sysctl", .object = object, .value = value};
}

constexpr const char* kAllIgnore = "net.ipv4.conf.all.arp_ignore";
constexpr const char* kDcb0Ignore = "net.ipv4.conf.dcb0.arp_ignore";

// No other interface of the host changes.
TEST(PersistFiles, KeepsASysctlByTheInterfacesOwnVariables) {
  for (const bool by_all : {true, false}) {
    const std::vector<PersistFile> files = SysctlFilesOf({}, by_all);
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files.front().path, "/etc/sysctl.d/90-rdmaready.conf");
    EXPECT_EQ(files.front().content,
              "# Made by rdmaready.\nnet.ipv4.conf.dcb0.arp_ignore = 2\n"
              "net.ipv4.conf.eth9.arp_ignore = 2\n");
  }
}

TEST(PersistFiles, WritesNoSecondFileForAKeptSysctl) {
  EXPECT_TRUE(SysctlFilesOf({SysctlWrite("/etc/sysctl.d/50-site.conf", kAllIgnore, "2")}).empty())
      << "the site has chosen it for all interfaces";
  EXPECT_TRUE(
      SysctlFilesOf({SysctlWrite("/etc/sysctl.d/50-site.conf", "net.ipv4.conf.*.arp_ignore", "2")}).empty());
  const std::vector<PersistFile> half =
      SysctlFilesOf({SysctlWrite("/etc/sysctl.d/50-site.conf", kDcb0Ignore, "2")});
  ASSERT_EQ(half.size(), 1U);
  EXPECT_EQ(half.front().content.find("dcb0"), std::string::npos);
  EXPECT_NE(half.front().content.find("eth9"), std::string::npos);
}

TEST(PersistFiles, NamesAFileThatSetsASysctlOtherwiseLater) {
  const std::vector<PersistFile> earlier =
      SysctlFilesOf({SysctlWrite("/etc/sysctl.d/50-site.conf", kDcb0Ignore, "0")});
  ASSERT_EQ(earlier.size(), 1U);
  EXPECT_EQ(earlier.front().path, "/etc/sysctl.d/90-rdmaready.conf") << "ours comes later";
  const std::vector<PersistFile> later =
      SysctlFilesOf({SysctlWrite("/etc/sysctl.d/99-site.conf", kDcb0Ignore, "0")});
  ASSERT_EQ(later.size(), 2U);
  EXPECT_EQ(later.back().path, "/etc/sysctl.d/99-site.conf");
  EXPECT_TRUE(later.back().exists_already);
}

// The next update of a package makes it anew: ours comes after it.
TEST(PersistFiles, ComesAfterAFileOfAPackageThatSetsASysctlOtherwise) {
  const std::vector<PersistFile> files =
      SysctlFilesOf({SysctlWrite("/usr/lib/sysctl.d/99-vendor.conf", kDcb0Ignore, "0")});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.front().path, "/etc/sysctl.d/99-vendor.rdmaready.conf");
  EXPECT_NE(files.front().content.find("net.ipv4.conf.dcb0.arp_ignore = 2\n"), std::string::npos);
}

TEST(PersistFiles, KeepsTheSysctlsThatAnEarlierFileOfOursHas) {
  constexpr const char* kOwn = "/etc/sysctl.d/90-rdmaready.conf";
  const BootWrite earlier = SysctlWrite(kOwn, "net.ipv4.conf.eth5.arp_ignore", "1");
  const std::vector<PersistFile> first = SysctlFilesOf({earlier}, false);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first.front().path, kOwn);
  EXPECT_TRUE(first.front().exists_already);
  EXPECT_TRUE(first.front().by_apply);
  for (const char* line : {"net.ipv4.conf.dcb0.arp_ignore = 2\n", "net.ipv4.conf.eth5.arp_ignore = 1\n"})
    EXPECT_NE(first.front().content.find(line), std::string::npos) << first.front().content;
  // One value is right there, and another one differs: all of them are written.
  const std::vector<PersistFile> second = SysctlFilesOf(
      {earlier, SysctlWrite(kOwn, kDcb0Ignore, "2"), SysctlWrite(kOwn, "net.ipv4.conf.eth9.arp_ignore", "1")},
      false);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second.front().content, first.front().content);
}

TEST(PersistFiles, WritesTheSysctlsToTheLastFileOfOurs) {
  const std::vector<PersistFile> files =
      SysctlFilesOf({SysctlWrite("/etc/sysctl.d/99-site.rdmaready.conf", kDcb0Ignore, "1")}, false);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.front().path, "/etc/sysctl.d/99-site.rdmaready.conf");
}

TEST(PersistFiles, LeavesOutASysctlFileOfOursThatIsRight) {
  std::vector<BootWrite> writes;
  const std::vector<PersistFile> files = SysctlFilesOf({}, false);
  ASSERT_EQ(files.size(), 1U);
  for (const SettingObject& object : files.front().keeps)
    writes.push_back(SysctlWrite("/etc/sysctl.d/90-rdmaready.conf", object.name.c_str(), "2"));
  EXPECT_TRUE(SysctlFilesOf(writes, false).empty());
}

TEST(PersistFiles, LetsUsersOfRdmaAloneLockMemory) {
  const auto content = [](std::uint64_t wanted, std::vector<MemlockGrant> grants) {
    Facts host = GoodHost();
    host.memlock_grants = std::move(grants);
    Profile profile = VirtualFabricProfile();
    profile.min_memlock_bytes = wanted;
    const std::vector<PersistFile> files = MakePlan(HostParts(host, profile), {.persist = true}).persist;
    const auto file = std::ranges::find(files, "/etc/security/limits.d/90-rdma.conf", &PersistFile::path);
    return file == files.end() ? std::string() : file->content;
  };
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  const MemlockGrant logins{
      .consumer = "logins", .limit_bytes = 8 * kMiB, .source = "/etc/systemd/system.conf"};
  EXPECT_EQ(content(64 * kMiB, {logins}),
            "# Made by rdmaready.\n@rdma soft memlock 1048576\n@rdma hard memlock 1048576\n");
  EXPECT_NE(content(4096 * kMiB, {logins}).find("@rdma hard memlock 4194304\n"), std::string::npos);
  EXPECT_NE(content(Memlock::kUnlimited, {logins}).find("@rdma hard memlock unlimited\n"), std::string::npos);
  const MemlockGrant group{
      .consumer = "logins of @rdma", .limit_bytes = 1024 * kMiB, .source = "/etc/security"};
  EXPECT_EQ(content(64 * kMiB, {logins, group}), "");
}

}  // namespace
}  // namespace rdmaready
