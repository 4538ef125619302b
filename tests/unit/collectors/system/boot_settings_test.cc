// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/boot_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "api/base/status.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

constexpr const char* kIgnore = "net.ipv4.conf.all.arp_ignore";

BootSettings Settings(FakeHost& host) { return ReadBootSettings(host, ReadBootScripts(host)); }

BootWrite FileWrite(const char* file, const char* setting, const char* object, const char* value) {
  return {.file = file, .started = file, .setting = setting, .object = object, .value = value};
}

std::string Ignore(int value) { return std::string(kIgnore) + " = " + std::to_string(value) + "\n"; }

TEST(BootSettings, TheLastFileByNameHolds) {
  FakeHost host;
  host.directories["/etc/sysctl.d"] = Names{"50-site.conf", "README"};
  host.directories["/usr/lib/sysctl.d"] = Names{"50-site.conf", "60-package.conf"};
  host.files["/etc/sysctl.d/50-site.conf"] = Ignore(1);
  host.files["/usr/lib/sysctl.d/50-site.conf"] = Ignore(3);
  host.files["/usr/lib/sysctl.d/60-package.conf"] = Ignore(2);
  EXPECT_THAT(Settings(host).writes,
              ElementsAre(FileWrite("/usr/lib/sysctl.d/60-package.conf", "sysctl", kIgnore, "2")));
  host.files["/usr/lib/sysctl.d/60-package.conf"] = std::string();
  EXPECT_THAT(Settings(host).writes,
              ElementsAre(FileWrite("/etc/sysctl.d/50-site.conf", "sysctl", kIgnore, "1")))
      << "a file in /etc hides its namesake";
}

TEST(BootSettings, SystemdReadsSysctlConfByALink) {
  FakeHost host;
  host.files["/etc/sysctl.conf"] = Ignore(1);
  EXPECT_THAT(Settings(host).writes, ElementsAre(FileWrite("/etc/sysctl.conf", "sysctl", kIgnore, "1")));
  host.directories["/run/systemd/system"] = Names{};
  EXPECT_THAT(Settings(host).writes, IsEmpty());
  host.directories["/etc/sysctl.d"] = Names{"99-sysctl.conf"};
  host.files["/etc/sysctl.d/99-sysctl.conf"] = Ignore(1);
  EXPECT_THAT(Settings(host).writes,
              ElementsAre(FileWrite("/etc/sysctl.d/99-sysctl.conf", "sysctl", kIgnore, "1")));
}

TEST(BootSettings, TakesTheCommandsOfAUnit) {
  FakeHost host;
  const char* unit = "/etc/systemd/system/site.service";
  host.directories["/etc/systemd/system"] = Names{"multi-user.target.wants", "site.service"};
  host.directories["/etc/systemd/system/multi-user.target.wants"] = Names{"site.service"};
  host.files[unit] = std::string(
      "[Service]\nExecStart=-/bin/sh -c 'ip link set dev eth2 mtu 1500'\nExecStart=ethtool -A eth2 rx on tx "
      "on\n");
  EXPECT_THAT(Settings(host).writes, ElementsAre(FileWrite(unit, "mtu", "eth2", "1500"),
                                                 FileWrite(unit, "pause", "eth2", "rx on tx on")));
}

TEST(BootSettings, KeepsTheOrderOfLinkFiles) {
  FakeHost host;
  host.directories["/etc/systemd/network"] = Names{"20-b.link", "30-c.network"};
  host.directories["/usr/lib/systemd/network"] = Names{"10-a.link"};
  host.files["/etc/systemd/network/20-b.link"] =
      std::string("[Match]\nOriginalName=eth2\n[Link]\nMTUBytes=9000\n");
  host.files["/etc/systemd/network/30-c.network"] = std::string("[Match]\nName=eth2\n[Link]\nMTUBytes=1500\n");
  host.files["/usr/lib/systemd/network/10-a.link"] =
      std::string("[Match]\nOriginalName=eth2\n[Link]\nName=stor0\n");
  const auto link = FileWrite("/etc/systemd/network/20-b.link", "mtu", "eth2", "9000");
  const auto match = FileWrite("/usr/lib/systemd/network/10-a.link", "match", "eth2", "");
  EXPECT_THAT(Settings(host).writes, ElementsAre(match, link)) << "networkd does not run";
  host.directories["/run/systemd/netif/links"] = Names{};
  EXPECT_THAT(Settings(host).writes,
              ElementsAre(match, link, FileWrite("/etc/systemd/network/30-c.network", "mtu", "eth2", "1500")));
}

TEST(BootSettings, AnUnreadableFolderHidesNothingElse) {
  FakeHost host;
  host.directories["/etc/sysctl.d"] = Names{"50-site.conf", "60-more.conf"};
  host.directories["/usr/lib/sysctl.d"] = ErrnoStatus(EACCES, "list");
  host.directories["/etc/udev/rules.d"] = ErrnoStatus(EACCES, "list");
  host.files["/etc/sysctl.d/50-site.conf"] = Ignore(1);
  host.files["/etc/sysctl.d/60-more.conf"] = ErrnoStatus(EACCES, "read");
  host.files["/etc/rc.local"] = std::string("#!/bin/sh\nip link set dev eth2 mtu 9000\n");
  const BootSettings settings = Settings(host);
  EXPECT_THAT(settings.writes, ElementsAre(FileWrite("/etc/sysctl.d/50-site.conf", "sysctl", kIgnore, "1"),
                                           FileWrite("/etc/rc.local", "mtu", "eth2", "9000")));
  EXPECT_THAT(settings.unread, testing::UnorderedElementsAre("/usr/lib/sysctl.d", "/etc/sysctl.d/60-more.conf",
                                                             "/etc/udev/rules.d"));
}

}  // namespace
}  // namespace rdmaready
