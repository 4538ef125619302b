// SPDX-License-Identifier: Apache-2.0
// memlock_grants.h and pci_devices.h.
#include "collectors/system/memlock_grants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "collectors/system/pci_devices.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;

constexpr std::uint64_t kKib = 1024;

TEST(UnitLimit, IsTheSoftOneInBytes) {
  EXPECT_EQ(DecodeUnitLimit("infinity"), Memlock::kUnlimited);
  EXPECT_EQ(DecodeUnitLimit("64K:infinity"), 64 * kKib);
  EXPECT_EQ(DecodeUnitLimit(" 8M "), 8 * kKib * kKib);
  EXPECT_EQ(DecodeUnitLimit("65536"), 64 * kKib);
  EXPECT_EQ(DecodeUnitLimit("99999999999E"), Memlock::kUnlimited);
  for (const char* wrong : {"", "K", "8X", "8MM", "much"})
    EXPECT_EQ(DecodeUnitLimit(wrong), std::nullopt) << wrong;
}

TEST(PamMemlock, IsThatOfEverybodyInKib) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(DecodePamMemlock(Texts{"* soft memlock unlimited", "* hard memlock 64"}), Memlock::kUnlimited);
  EXPECT_EQ(DecodePamMemlock(Texts{"*\t-\tmemlock\t128  # kib"}), 128 * kKib);
  EXPECT_EQ(DecodePamMemlock(Texts{"# * soft memlock 64", "oracle soft memlock 64", "* hard memlock 64"}),
            std::nullopt);
}

TEST(MemlockGrants, FollowUnitsDropInsAndTheDefault) {
  FakeHost host;
  host.files["/etc/systemd/system.conf"] = "[Manager]\n#DefaultLimitMEMLOCK=8M\n";
  host.files["/usr/lib/systemd/system/slurmd.service"] = "[Service]\nLimitNOFILE=1024\n";
  host.files["/usr/lib/systemd/system/docker.service"] = "[Service]\nLimitMEMLOCK=64K\n";
  host.directories["/etc/systemd/system/docker.service.d"] = std::vector<std::string>{"a.conf", "README"};
  host.files["/etc/systemd/system/docker.service.d/a.conf"] = "[Service]\nLimitMEMLOCK=infinity\n";
  const Fact<std::vector<MemlockGrant>> grants = ReadMemlockGrants(host);
  ASSERT_TRUE(grants) << grants.missing().detail;
  EXPECT_THAT(*grants,
              ElementsAre(MemlockGrant{"slurmd.service", 8 * kKib * kKib, "/etc/systemd/system.conf"},
                          MemlockGrant{"docker.service", Memlock::kUnlimited,
                                       "/etc/systemd/system/docker.service.d/a.conf"},
                          MemlockGrant{"logins", 8 * kKib * kKib,
                                       "/etc/systemd/system.conf, no line in limits.conf or limits.d"}));
  host.files["/etc/security/limits.conf"] = ErrnoStatus(EACCES, "read /etc/security/limits.conf");
  EXPECT_EQ(ReadMemlockGrants(host).missing().kind, Missing::Kind::kDenied);
}

TEST(MemlockGrants, KnowTheGroupOfRdmasUsers) {
  FakeHost host;
  host.directories["/etc/security/limits.d"] = std::vector<std::string>{"90-rdma.conf", "audio.conf"};
  host.files["/etc/security/limits.d/90-rdma.conf"] =
      "@rdma soft memlock 1048576\n@rdma hard memlock 1048576\n";
  host.files["/etc/security/limits.d/audio.conf"] = "@audio - memlock unlimited\n";
  EXPECT_THAT(*ReadMemlockGrants(host), ElementsAre(MemlockGrant{"logins of @rdma", 1048576 * kKib,
                                                                 "/etc/security/limits.d/90-rdma.conf"}));
}

TEST(MemlockGrants, AreNoneWhereNoFileTells) {
  FakeHost host;
  const Fact<std::vector<MemlockGrant>> grants = ReadMemlockGrants(host);
  ASSERT_TRUE(grants);
  EXPECT_TRUE(grants->empty());
}

TEST(PciDevices, AreNetworkAdaptersAndGpus) {
  FakeHost host;
  EXPECT_EQ(ReadPciDevices(host).missing().kind, Missing::Kind::kUnsupported);
  const std::string bus = "/sys/bus/pci/devices";
  host.directories[bus] =
      std::vector<std::string>{"0000:00:1f.0", "0000:3b:00.0", "0000:3b:00.2", "0000:ab:00.0"};
  const auto add = [&](const std::string& address, const char* class_code) {
    host.files[bus + "/" + address + "/class"] = class_code;
    host.files[bus + "/" + address + "/vendor"] = "0x15b3\n";
    host.files[bus + "/" + address + "/device"] = "0x101d\n";
  };
  add("0000:00:1f.0", "0x060100\n");
  add("0000:3b:00.0", "0x020000\n");
  add("0000:3b:00.2", "0x020000\n");
  add("0000:ab:00.0", "0x030200\n");
  host.links[bus + "/0000:3b:00.0/driver"] = "../../../bus/pci/drivers/mlx5_core";
  host.directories[bus + "/0000:3b:00.0/net"] = std::vector<std::string>{"ens1f0np0"};
  host.directories[bus + "/0000:3b:00.0/infiniband"] = std::vector<std::string>{"mlx5_0"};
  host.links[bus + "/0000:3b:00.2/physfn"] = "../0000:3b:00.0";
  const Fact<std::vector<PciDevice>> devices = ReadPciDevices(host);
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 3U);
  EXPECT_EQ(devices->at(0), (PciDevice{.address = "0000:3b:00.0",
                                       .vendor_id = 0x15b3,
                                       .device_id = 0x101d,
                                       .class_code = 0x020000,
                                       .driver = "mlx5_core",
                                       .netdevs = {"ens1f0np0"},
                                       .rdma_devices = {"mlx5_0"}}));
  EXPECT_TRUE(devices->at(1).virtual_function);
  EXPECT_TRUE(devices->at(1).driver.empty());
  EXPECT_EQ(devices->at(2).class_code, 0x030200U);
}

}  // namespace
}  // namespace rdmaready
