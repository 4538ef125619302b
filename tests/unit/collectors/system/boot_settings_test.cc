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
using testing::SizeIs;
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

TEST(BootSettings, ReadsDropInsOfLinkFiles) {
  FakeHost host;
  host.directories["/usr/lib/systemd/network"] = Names{"50-a.link", "50-a.link.d", "99-default.link"};
  host.directories["/etc/systemd/network"] = Names{"50-a.link.d", "99-default.link.d"};
  host.directories["/usr/lib/systemd/network/50-a.link.d"] = Names{"10-x.conf", "20-rdma.conf", "README"};
  host.directories["/etc/systemd/network/50-a.link.d"] = Names{"20-rdma.conf"};
  host.directories["/etc/systemd/network/99-default.link.d"] = Names{"mtu.conf"};
  host.files["/usr/lib/systemd/network/50-a.link"] = std::string(
      "[Match]\nPath=pci-0000:3b:00.0\n[Link]\nMTUBytes=1500\nRxFlowControl=yes\nTxFlowControl=yes\n");
  host.files["/usr/lib/systemd/network/50-a.link.d/10-x.conf"] = std::string("[Link]\nRxFlowControl=no\n");
  host.files["/usr/lib/systemd/network/50-a.link.d/20-rdma.conf"] = std::string("[Link]\nMTUBytes=4200\n");
  host.files["/etc/systemd/network/50-a.link.d/20-rdma.conf"] = std::string("[Link]\nMTUBytes=9000\n");
  host.files["/usr/lib/systemd/network/99-default.link"] = std::string("[Match]\nOriginalName=*\n");
  host.files["/etc/systemd/network/99-default.link.d/mtu.conf"] = std::string("[Link]\nMTUBytes=2000\n");
  const char* main = "/usr/lib/systemd/network/50-a.link";
  const auto drop_in = [](const char* file, const char* started, const char* setting, const char* object,
                          const char* value) {
    return BootWrite{.file = file, .started = started, .setting = setting, .object = object, .value = value};
  };
  EXPECT_THAT(
      Settings(host).writes,
      ElementsAre(
          FileWrite(main, "pause", "0000:3b:00.0", "tx on"),
          drop_in("/usr/lib/systemd/network/50-a.link.d/10-x.conf", main, "pause", "0000:3b:00.0", "rx off"),
          drop_in("/etc/systemd/network/50-a.link.d/20-rdma.conf", main, "mtu", "0000:3b:00.0", "9000"),
          drop_in("/etc/systemd/network/99-default.link.d/mtu.conf", "/usr/lib/systemd/network/99-default.link",
                  "mtu", "", "2000")));
}

TEST(BootSettings, NamesAFolderWithMoreFilesThanItReads) {
  FakeHost host;
  Names names;
  for (int i = 0; i < 200; ++i) names.push_back(std::to_string(1000 + i) + ".conf");
  host.directories["/etc/sysctl.d"] = names;
  EXPECT_THAT(Settings(host).unread, ElementsAre("/etc/sysctl.d"));
}

TEST(BootSettings, NamesAFileOfWhichTheRestIsNotRead) {
  FakeHost host;
  std::string many;
  for (int i = 0; i < 300; ++i) many += "net.ipv4.conf.eth" + std::to_string(i) + ".rp_filter=2\n";
  host.directories["/etc/sysctl.d"] = Names{"50-site.conf"};
  host.files["/etc/sysctl.d/50-site.conf"] = many;
  host.files["/etc/rc.local"] = "#!/bin/sh\n" + many;
  const BootSettings settings = Settings(host);
  EXPECT_THAT(settings.unread, ElementsAre("/etc/sysctl.d/50-site.conf"));
  EXPECT_EQ(settings.writes.size(), 256U);
}

std::vector<BootWrite> Applied(FakeHost& host, const std::string& record, const char* bus) {
  Port port;
  port.netdev = Netdev{.name = "eth2", .ifindex = 4, .driver_info = DriverInfo{.bus = bus}};
  if (!record.empty()) host.files["/run/udev/data/n4"] = record;
  BootSettings settings;
  AddAppliedLinkFiles(host, std::vector<Port>{port}, settings);
  return settings.writes;
}

TEST(BootSettings, KnowsTheLinkFileThatUdevApplied) {
  const std::string record =
      "I:1234\nE:ID_PATH=pci-0000:3b:00.0\nE:ID_NET_LINK_FILE=/usr/lib/systemd/network/99-default.link\n"
      "E:ID_NET_NAME=eth2\n";
  const BootWrite applied{.file = "/usr/lib/systemd/network/99-default.link",
                          .started = "/usr/lib/systemd/network/99-default.link",
                          .setting = "applied",
                          .object = "eth2"};
  FakeHost host;
  EXPECT_THAT(Applied(host, "", "0000:3b:00.0"), IsEmpty()) << "no record: not known";
  EXPECT_THAT(Applied(host, record, "0000:3b:00.0"), ElementsAre(applied));
  EXPECT_THAT(Applied(host, record, ""), ElementsAre(applied));
  EXPECT_THAT(Applied(host, record, "0000:af:00.0"), IsEmpty())
      << "the record of another namespace's interface";
  EXPECT_THAT(Applied(host, "E:ID_PATH=pci-0000:3b:00.0\n", "0000:3b:00.0"), IsEmpty());
  host.files["/run/udev/data/n4"] = ErrnoStatus(EACCES, "read");
  EXPECT_THAT(Applied(host, "", "0000:3b:00.0"), IsEmpty());
}

TEST(BootSettings, KnowsTheFileThatNetworkdUses) {
  FakeHost host;
  host.files["/run/systemd/netif/links/4"] = std::string(
      "ADMIN_STATE=configured\nNETWORK_FILE=/etc/systemd/network/"
      "20-a.network\nNETWORK_FILE_DROPINS=\nDNS=10.0.0.9\n");
  const BootWrite used{.file = "/etc/systemd/network/20-a.network",
                       .started = "/etc/systemd/network/20-a.network",
                       .setting = "networkd",
                       .object = "eth2"};
  const std::string place = "E:ID_PATH=pci-0000:3b:00.0\n";
  const std::string name = "E:ID_NET_NAME=eth2\n";
  EXPECT_THAT(Applied(host, place, "0000:3b:00.0"), ElementsAre(used));
  EXPECT_THAT(Applied(host, name, ""), ElementsAre(used)) << "an interface without a bus";
  EXPECT_THAT(Applied(host, name, "0000:3b:00.0"), ElementsAre(used)) << "a record without a place";
  host.files["/run/systemd/netif/links/4"] = std::string("ADMIN_STATE=unmanaged\n");
  EXPECT_THAT(Applied(host, name, ""), IsEmpty());
}

TEST(BootSettings, IgnoresNetworkdsRecordOfAnInterfaceInAnotherNamespace) {
  FakeHost host;
  host.files["/run/systemd/netif/links/4"] = std::string("NETWORK_FILE=/etc/systemd/network/20-a.network\n");
  EXPECT_THAT(Applied(host, "", "0000:3b:00.0"), IsEmpty()) << "no record of udev: not known";
  EXPECT_THAT(Applied(host, "E:ID_PATH=pci-0000:af:00.0\nE:ID_NET_NAME=eth2\n", "0000:3b:00.0"), IsEmpty());
  EXPECT_THAT(Applied(host, "E:ID_NET_NAME=eno1\n", ""), IsEmpty());
  EXPECT_THAT(Applied(host, "E:ID_NET_DRIVER=dummy\n", ""), IsEmpty());
}

TEST(BootSettings, KnowsTheDefaultMtuOfConnections) {
  FakeHost host;
  constexpr const char* kFile = "/etc/NetworkManager/conf.d/99-site.conf";
  host.directories["/etc/NetworkManager/conf.d"] = Names{"99-site.conf", "README"};
  host.files[kFile] = std::string("[connection-rdma]\nmatch-device=interface-name:ens*\nethernet.mtu=1500\n");
  EXPECT_THAT(Settings(host).writes, IsEmpty()) << "NetworkManager does not run";
  host.directories["/run/NetworkManager"] = Names{};
  const BootWrite write{.file = kFile, .started = kFile, .setting = "connection-mtu", .value = "1500"};
  EXPECT_THAT(Settings(host).writes, ElementsAre(write));
  BootWrite unread = write;
  unread.value.clear();
  for (const char* line : {"ethernet.mtu = 1500", " ethernet.mtu\t=1500 "}) {
    host.files[kFile] = std::string("[connection]\n") + line + "\n";
    EXPECT_THAT(Settings(host).writes, ElementsAre(write)) << line;
  }
  for (const char* line : {"ethernet.mtu=\"1500\"", "ethernet.mtu = auto"}) {
    host.files[kFile] = std::string("[connection]\n") + line + "\n";
    EXPECT_THAT(Settings(host).writes, ElementsAre(unread)) << line;
  }
  host.files[kFile] = std::string("[connection]\n# ethernet.mtu = 9000\n");
  EXPECT_THAT(Settings(host).writes, IsEmpty());
  host.files[kFile] = ErrnoStatus(EACCES, "read");
  EXPECT_THAT(Settings(host).writes, ElementsAre(unread));
}

// Two NICs that the next boot numbers the other way round.
TEST(BootSettings, IgnoresTheNumbersOfInterfaces) {
  const auto applied = [](std::uint32_t eth2, std::uint32_t eth3) {
    FakeHost host;
    const auto file = [](const char* name) {
      return "E:ID_NET_LINK_FILE=/etc/systemd/network/" + std::string(name) + ".link\n";
    };
    host.files["/run/udev/data/n" + std::to_string(eth2)] = file("a");
    host.files["/run/udev/data/n" + std::to_string(eth3)] = file("b");
    std::vector<Port> ports(2);
    ports[0].netdev = Netdev{.name = "eth2", .ifindex = eth2};
    ports[1].netdev = Netdev{.name = "eth3", .ifindex = eth3};
    BootSettings settings;
    AddAppliedLinkFiles(host, ports, settings);
    return settings;
  };
  EXPECT_THAT(applied(4, 5).writes, SizeIs(2));
  EXPECT_EQ(applied(4, 5), applied(9, 7));
}

}  // namespace
}  // namespace rdmaready
