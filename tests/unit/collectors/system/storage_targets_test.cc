// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/storage_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using TargetNames = std::vector<std::string>;

FakeHost NvmetHost() {
  FakeHost host;
  const std::string port = "/sys/kernel/config/nvmet/ports/1";
  host.directories["/sys/kernel/config/nvmet/ports"] = TargetNames{"1"};
  host.files[port + "/addr_trtype"] = "rdma\n";
  host.files[port + "/addr_traddr"] = "10.20.0.5\n";
  host.files[port + "/addr_trsvcid"] = "4420\n";
  host.directories[port + "/subsystems"] = TargetNames{"nqn.2026-02.example:a"};
  return host;
}

FakeHost IscsiHost() {
  FakeHost host;
  const std::string iscsi = "/sys/kernel/config/target/iscsi";
  host.directories[iscsi] = TargetNames{"discovery_auth", "iqn.2026-02.example:a", "lio_version"};
  host.directories[iscsi + "/iqn.2026-02.example:a"] = TargetNames{"fabric_statistics", "tpgt_1"};
  host.directories[iscsi + "/iqn.2026-02.example:a/tpgt_1/np"] = TargetNames{"10.1.1.1:3260", "[fd00::5]:3261"};
  host.files[iscsi + "/iqn.2026-02.example:a/tpgt_1/np/10.1.1.1:3260/iser"] = "1\n";
  host.files[iscsi + "/iqn.2026-02.example:a/tpgt_1/np/[fd00::5]:3261/iser"] = "0\n";
  return host;
}

Network NetworkWith(std::uint32_t ifindex, const std::string& address) {
  Network network;
  network.addresses = AddressTable{{ifindex, {{.address = address, .prefix_length = 24}}}};
  network.links = ErrnoStatus(EPERM, "list links");
  return network;
}

TEST(ReadNvmetPorts, ReturnsThePortsOfConfigfs) {
  FakeHost host = NvmetHost();
  const Fact<std::vector<NvmetPort>> ports = ReadNvmetPorts(host);
  ASSERT_TRUE(ports);
  ASSERT_EQ(ports->size(), 1U);
  EXPECT_EQ(ports->front(), (NvmetPort{.id = "1",
                                       .transport = "rdma",
                                       .address = "10.20.0.5",
                                       .service = "4420",
                                       .subsystems = {"nqn.2026-02.example:a"}}));
}

TEST(ReadNvmetPorts, ReturnsNoSubsystemForAPortThatIsNotEnabled) {
  FakeHost host = NvmetHost();
  host.directories.erase("/sys/kernel/config/nvmet/ports/1/subsystems");
  const Fact<std::vector<NvmetPort>> ports = ReadNvmetPorts(host);
  ASSERT_TRUE(ports);
  EXPECT_THAT(ports->front().subsystems, IsEmpty());
}

TEST(ReadNvmetPorts, ReturnsTheReasonForAGap) {
  FakeHost none;
  EXPECT_EQ(ReadNvmetPorts(none).missing().kind, Missing::Kind::kUnsupported);
  FakeHost host = NvmetHost();
  host.files["/sys/kernel/config/nvmet/ports/1/addr_traddr"] = ErrnoStatus(EACCES, "read addr_traddr");
  EXPECT_EQ(ReadNvmetPorts(host).missing().kind, Missing::Kind::kDenied);
  host.directories["/sys/kernel/config/nvmet/ports"] = ErrnoStatus(EACCES, "list ports");
  EXPECT_EQ(ReadNvmetPorts(host).missing().kind, Missing::Kind::kDenied);
}

TEST(ReadIscsiPortals, ReturnsThePortalsOfEachTarget) {
  FakeHost host = IscsiHost();
  const Fact<std::vector<IscsiPortal>> portals = ReadIscsiPortals(host);
  ASSERT_TRUE(portals);
  const IscsiPortal first{
      .target = "iqn.2026-02.example:a", .group = "tpgt_1", .address = "10.1.1.1", .port = 3260, .iser = true};
  const IscsiPortal second{
      .target = "iqn.2026-02.example:a", .group = "tpgt_1", .address = "fd00::5", .port = 3261};
  EXPECT_THAT(*portals, ElementsAre(first, second));
  host.files["/sys/kernel/config/target/iscsi/iqn.2026-02.example:a/tpgt_1/np/10.1.1.1:3260/iser"] =
      ErrnoStatus(EACCES, "read iser");
  EXPECT_EQ(ReadIscsiPortals(host).missing().kind, Missing::Kind::kDenied);
  FakeHost none;
  EXPECT_EQ(ReadIscsiPortals(none).missing().kind, Missing::Kind::kUnsupported);
}

TEST(DecodePortalName, AcceptsAnyName) {
  EXPECT_EQ(DecodePortalName("10.0.0.1").port, 0);
  EXPECT_EQ(DecodePortalName("[fd00::5]").address, "fd00::5");
  EXPECT_EQ(DecodePortalName("[fd00::5]").port, 0);
  EXPECT_EQ(DecodePortalName("").address, "");
  EXPECT_EQ(DecodePortalName(":").port, 0);
  EXPECT_EQ(DecodePortalName("10.0.0.1:99999").port, 0);
}

TEST(PlaceTargets, NamesTheInterfaceOfAnAddress) {
  FakeHost host = NvmetHost();
  Facts facts;
  facts.nvmet_ports = std::vector<NvmetPort>{
      {.id = "1", .address = "10.20.0.9"}, {.id = "2", .address = "0.0.0.0"}, {.id = "3", .address = "host"}};
  PlaceTargets(host, NetworkWith(7, "10.20.0.5"), facts);
  EXPECT_EQ(*facts.nvmet_ports->at(0).netdev, "");
  EXPECT_EQ(facts.nvmet_ports->at(1).netdev.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(facts.nvmet_ports->at(2).netdev.missing().kind, Missing::Kind::kUnsupported);
}

TEST(PlaceTargets, ReturnsAGapWithoutAddressesOrName) {
  FakeHost host;
  Facts facts;
  facts.iscsi_portals = std::vector<IscsiPortal>{{.address = "FD00::0005"}};
  PlaceTargets(host, NetworkWith(7, "fd00::5"), facts);  // it has the address, and nobody says its name
  EXPECT_FALSE(facts.iscsi_portals->front().netdev);
  Network unread;
  unread.addresses = Missing{Missing::Kind::kDenied, "not permitted"};
  PlaceTargets(host, unread, facts);
  EXPECT_EQ(facts.iscsi_portals->front().netdev.missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
