// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/boot_files.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Facts Nic(std::vector<BootWrite> writes = {}) {
  Facts host = On("mlx5_core", [](Netdev& netdev) {
    netdev.mtu_bytes = 1500;
    netdev.permanent_mac = std::string("02:00:00:00:00:01");
    netdev.driver_info = DriverInfo{.bus = "0000:3b:00.0"};
  });
  host.boot_settings = BootSettings{.writes = std::move(writes)};
  return host;
}

Facts ManagedBy(const char* source) {
  Facts host = Nic();
  host.managed_interfaces = std::vector<NamedDevice>{{.device = "dcb0", .exact = true, .source = source}};
  return host;
}

constexpr const char* kHead = "# Made by rdmaready.\n";

TEST(BootFilePath, IsOneOfAClosedList) {
  for (const char* path :
       {"/etc/systemd/network/98-rdma-dcb0.link", "/etc/systemd/network/50-a.link.d/rdma.conf",
        "/etc/systemd/network/20-a.network.d/rdma.conf", "/etc/systemd/network/50-a.link.d/site.rdma.conf",
        "/etc/systemd/system/rdma-mtu-bond0.service", "/etc/netplan/90-rdmaready-dcb0.yaml",
        "/etc/NetworkManager/conf.d/90-rdmaready-dcb0.conf"})
    EXPECT_TRUE(IsBootFilePath(path)) << path;
}

TEST(BootFilePath, RefusesFilesOfTheSiteAndWaysOutOfTheFolder) {
  for (const char* path :
       {"", "/etc/passwd", "/etc/systemd/network/50-a.link", "/etc/systemd/network/98-rdma-.link",
        "/etc/systemd/network/50-a.link.d/site.conf", "/etc/systemd/network/../x.link.d/rdma.conf",
        "/etc/systemd/network/a/b.link.d/rdma.conf", "/etc/systemd/network/.link.d/rdma.conf",
        "/etc/systemd/network//50-a.link.d/rdma.conf", "/etc/systemd/network/98-rdma-../../x.link",
        "/etc/systemd/network/98-rdma-a\nb.link", "/etc/systemd/system/sshd.service",
        "/etc/netplan/50-cloud-init.yaml", "/etc/NetworkManager/system-connections/90-rdmaready-a.nmconnection",
        "/run/systemd/network/98-rdma-dcb0.link", "etc/netplan/90-rdmaready-dcb0.yaml"})
    EXPECT_FALSE(IsBootFilePath(path)) << path;
}

TEST(BootFileFor, AddsToTheLinkFileThatHolds) {
  const BootFile file = BootFileFor(Nic({{.file = "/etc/systemd/network/05-a.link",
                                          .started = "/etc/systemd/network/05-a.link",
                                          .setting = "match",
                                          .object = "dcb0"}}),
                                    "dcb0", 9000);
  EXPECT_EQ(file, (BootFile{.path = "/etc/systemd/network/05-a.link.d/rdma.conf",
                            .content = std::string(kHead) + "[Link]\nMTUBytes=9000\n",
                            .mode = 0644}));
}

TEST(BootFileFor, TakesThePlaceOfSystemdsDefault) {
  const BootFile file = BootFileFor(Nic({{.file = "/usr/lib/systemd/network/99-default.link",
                                          .started = "/usr/lib/systemd/network/99-default.link",
                                          .setting = "applied",
                                          .object = "dcb0"}}),
                                    "dcb0", 9000);
  EXPECT_EQ(file.path, "/etc/systemd/network/98-rdma-dcb0.link");
  EXPECT_NE(file.content.find("PermanentMACAddress=02:00:00:00:00:01\n"), std::string::npos) << file.content;
}

TEST(BootFileFor, AddsAFileBesideThoseThatCanHoldSecrets) {
  const BootFile netplan =
      BootFileFor(ManagedBy("/run/systemd/network/10-netplan-stor0.network"), "dcb0", 9000);
  EXPECT_EQ(netplan,
            (BootFile{.path = "/etc/netplan/90-rdmaready-dcb0.yaml",
                      .content = std::string(kHead) +
                                 "network:\n  version: 2\n  ethernets:\n    \"stor0\":\n      mtu: 9000\n",
                      .mode = 0600}));
  const BootFile manager =
      BootFileFor(ManagedBy("/etc/NetworkManager/system-connections/a.nmconnection"), "dcb0", 9000);
  EXPECT_EQ(manager.path, "/etc/NetworkManager/conf.d/90-rdmaready-dcb0.conf");
  EXPECT_NE(manager.content.find("match-device=interface-name:=dcb0\nethernet.mtu=9000\n"), std::string::npos);
  const BootFile networkd = BootFileFor(ManagedBy("/run/systemd/network/20-a.network"), "dcb0", 9000);
  EXPECT_EQ(networkd.path, "/etc/systemd/network/20-a.network.d/rdma.conf");
  EXPECT_EQ(networkd.content, std::string(kHead) + "[Link]\nMTUBytes=9000\n");
}

TEST(BootFileFor, NamesAFileOfTheSiteThatAPersonChanges) {
  const BootWrite write{
      .file = "/etc/rc.local", .started = "/etc/rc.local", .setting = "mtu", .object = "dcb0", .value = "1500"};
  const BootFile file = BootFileFor(Nic({write}), "dcb0", 9000);
  EXPECT_EQ(file.path, "");
  EXPECT_NE(file.unkept.find("/etc/rc.local"), std::string::npos) << file.unkept;
  EXPECT_EQ(BootFileFor(Nic({write}), "dcb0", 1500), BootFile()) << "it is kept already";
}

TEST(BootFileFor, GivesABondAUnit) {
  Facts host = Nic();
  std::vector<Port> ports = *host.ports;
  ports.front().uppers = std::vector<UpperNetdev>{{.name = "bond0", .kind = "bond", .over = {"dcb0"}}};
  host.ports = ports;
  const BootFile file = BootFileFor(host, "bond0", 9000);
  EXPECT_EQ(file.path, "/etc/systemd/system/rdma-mtu-bond0.service");
  EXPECT_NE(file.content.find("ExecStart=ip link set dev bond0 mtu 9000\n"), std::string::npos);
}

}  // namespace
}  // namespace rdmaready
