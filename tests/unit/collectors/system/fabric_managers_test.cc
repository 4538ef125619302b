// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/fabric_managers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint64_t kGuid = 0xb83fd20300c21a40;

FakeHost WithUnit(const std::string& unit, bool started) {
  FakeHost host;
  host.files["/usr/lib/systemd/system/" + unit] = "[Service]\nExecStart=/usr/sbin/opensm\n";
  host.directories["/etc/systemd/system"] = std::vector<std::string>{"network.target.wants"};
  host.directories["/etc/systemd/system/network.target.wants"] =
      started ? std::vector<std::string>{unit} : std::vector<std::string>{};
  return host;
}

TEST(DecodeOpensmLines, ReturnsGuids) {
  const auto decode = [](const std::vector<std::string>& lines) { return DecodeOpensmLines(lines, "f"); };
  EXPECT_THAT(decode({"guid 0xb83fd20300c21a40"}).ports, ElementsAre(ManagedPort{"f", kGuid}));
  EXPECT_THAT(decode({"guid 0x0000000000000000"}).ports, ElementsAre(ManagedPort{"f", 0}));
  EXPECT_THAT(decode({"GUIDS=\"0xb83fd20300c21a40 0x1\""}).ports,
              ElementsAre(ManagedPort{"f", kGuid}, ManagedPort{"f", 1}));
  EXPECT_TRUE(decode({"PORTS=ALL"}).all);
  EXPECT_TRUE(decode({"PORTS=\"NONE\""}).none);
}

TEST(DecodeOpensmLines, IgnoresNonsense) {
  const auto decode = [](const std::vector<std::string>& lines) { return DecodeOpensmLines(lines, "f"); };
  EXPECT_THAT(decode({"", "#GUIDS=\"0x2\"", "guid", "guid 0x", "guid 12", "guid_file /x 0x5",
                      "GUIDS=", "guid 0xffffffffffffffffff"})
                  .ports,
              IsEmpty());
  EXPECT_EQ(GuidOfUnit("opensm@0xb83fd20300c21a40.service"), kGuid);
  EXPECT_EQ(GuidOfUnit("opensm.service"), 0U);
  EXPECT_EQ(GuidOfUnit("opensm@.service"), 0U);
}

TEST(ReadFabricManagers, ReturnsInstalledManagersWithTheirPorts) {
  FakeHost host = WithUnit("opensm.service", true);
  host.files["/etc/rdma/opensm.conf"] = "m_key 0x1234\nguid 0xb83fd20300c21a40\nsm_assigned_guid 0x5\n";
  host.files["/etc/sysconfig/opensm"] = "#GUIDS=\"0x7\"\n#PRIORITY=15\n";
  const Fact<std::vector<FabricManager>> managers = ReadFabricManagers(host);
  ASSERT_TRUE(managers);
  EXPECT_THAT(*managers, ElementsAre(FabricManager{.name = "opensm",
                                                   .unit = "opensm.service",
                                                   .starts = true,
                                                   .files = {"/etc/rdma/opensm.conf", "/etc/sysconfig/opensm"},
                                                   .ports = {{"/etc/rdma/opensm.conf", kGuid}}}));
}

TEST(ReadFabricManagers, ReadsAFileOfRedHatForEachPort) {
  FakeHost host = WithUnit("opensm.service", true);
  host.directories["/etc/rdma"] = std::vector<std::string>{"modules", "opensm.conf", "opensm.conf.1"};
  host.files["/etc/rdma/opensm.conf.1"] = "guid 0xb83fd20300c21a40\n";
  EXPECT_THAT(ReadFabricManagers(host)->front().ports,
              ElementsAre(ManagedPort{"/etc/rdma/opensm.conf.1", kGuid}));
  host.directories["/etc/rdma"] = ErrnoStatus(EACCES, "list /etc/rdma");
  EXPECT_EQ(ReadFabricManagers(host).missing().kind, Missing::Kind::kDenied);
}

TEST(ReadFabricManagers, ReadsThePortsOfDebiansUnit) {
  FakeHost host = WithUnit("opensm.service", true);
  host.files["/etc/default/opensm"] = "PORTS=ALL\n";
  EXPECT_TRUE(ReadFabricManagers(host)->front().all_ports);
  host.files["/etc/default/opensm"] = "PORTS=NONE\n";
  EXPECT_EQ(*ReadFabricManagers(host)->front().starts, false);
}

TEST(ReadFabricManagers, SaysWhetherTheUnitStarts) {
  FakeHost host = WithUnit("opafm.service", false);
  const Fact<std::vector<FabricManager>> managers = ReadFabricManagers(host);
  ASSERT_TRUE(managers);
  EXPECT_THAT(*managers, ElementsAre(FabricManager{.name = "opafm", .unit = "opafm.service", .starts = false}));
  host.directories["/etc/systemd/system/network.target.wants"] = ErrnoStatus(EACCES, "list units");
  EXPECT_EQ(ReadFabricManagers(host)->front().starts.missing().kind, Missing::Kind::kDenied);
}

TEST(ReadFabricManagers, TellsAnEmptyListFromAGap) {
  FakeHost none;
  EXPECT_THAT(*ReadFabricManagers(none), IsEmpty());
  FakeHost host = WithUnit("opensm.service", true);
  host.files["/etc/opensm/opensm.conf"] = ErrnoStatus(EACCES, "read opensm.conf");
  EXPECT_EQ(ReadFabricManagers(host).missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
