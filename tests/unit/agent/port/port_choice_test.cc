// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_choice.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

Facts HostWith(std::vector<IpAddress> addresses) {
  Netdev netdev;
  netdev.name = "dcb0";
  netdev.addresses = std::move(addresses);
  Port port;
  port.device = "rxe0";
  port.number = 1;
  port.netdev = netdev;
  Facts facts;
  facts.ports = std::vector<Port>{port};
  return facts;
}

TEST(PortChoice, PrefersIpv4AndLeavesLinkLocalOut) {
  const Facts facts = HostWith({{"fe80::1", 64}, {"169.254.1.1", 16}, {"2001:db8::1", 64}, {"10.0.0.1", 24}});
  EXPECT_EQ(RoutableAddresses(facts.ports->front()), (std::vector<std::string>{"10.0.0.1", "2001:db8::1"}));
  EXPECT_EQ(ChoosePort(facts, "rxe0", 1, "")->address, "10.0.0.1");
}

Port OfSpeed(Fact<std::uint32_t> speed_mbps) {
  Port port = HostWith({}).ports->front();
  Netdev netdev = *port.netdev;
  netdev.speed_mbps = speed_mbps;
  port.netdev = netdev;
  port.lowers = std::vector<Netdev>();
  port.transport = Transport::kRoce;
  port.rate_mbps = 2'500;  // as sysfs has it where the driver does not know the speed
  return port;
}

Port OnNetdev(std::string device, const std::string& netdev, const std::vector<std::string>& lowers = {}) {
  Port port;
  port.device = std::move(device);
  port.number = 1;
  if (!netdev.empty()) port.netdev = Netdev{.name = netdev};
  std::vector<Netdev> below;
  for (const std::string& lower : lowers) below.push_back({.name = lower});
  port.lowers = std::move(below);
  return port;
}

std::vector<SharingPort> SharingFirst(std::vector<Port> ports) {
  Facts facts;
  facts.ports = std::move(ports);
  return SharingWith(facts, facts.ports->front());
}

TEST(SharingWith, NamesOtherDevicesOverTheSameNetdevs) {
  const std::vector<SharingPort> other{{"rxe0", 1}};
  EXPECT_EQ(SharingFirst({OnNetdev("mlx5_0", "eth0"), OnNetdev("rxe0", "eth0")}), other);
  EXPECT_EQ(SharingFirst({OnNetdev("mlx5_0", "eth0"), OnNetdev("rxe0", "eth0.5", {"eth0"})}), other);
  EXPECT_EQ(SharingFirst({OnNetdev("mlx5_0", "bond0", {"eth0", "eth1"}), OnNetdev("rxe0", "eth1")}), other);
  EXPECT_TRUE(SharingFirst({OnNetdev("mlx5_0", "eth0"), OnNetdev("rxe0", "eth1")}).empty());
  EXPECT_TRUE(SharingFirst({OnNetdev("mlx5_0", ""), OnNetdev("rxe0", "")}).empty());
}

TEST(SharingWith, NamesDevicesOfTheSamePciFunctionAndPortNumber) {
  const auto at = [](std::string device, const std::string& function, std::uint32_t number = 1) {
    Port port = OnNetdev(std::move(device), "");
    port.number = number;
    port.pci = PciFunction{.address = function, .physical = Missing{Missing::Kind::kUnsupported, "none"}};
    return port;
  };
  const std::vector<SharingPort> other{{"mlx5_2", 1}};
  EXPECT_EQ(SharingFirst({at("mlx5_0", "0000:03:00.0"), at("mlx5_2", "0000:03:00.0")}), other);
  EXPECT_TRUE(SharingFirst({at("mlx5_0", "0000:03:00.0"), at("mlx5_2", "0000:03:00.1")}).empty());
  EXPECT_TRUE(SharingFirst({at("mlx5_0", "0000:03:00.0"), at("mlx5_2", "0000:03:00.0", 2)}).empty());
  EXPECT_TRUE(SharingFirst({at("mlx4_0", "0000:03:00.0"), at("mlx4_0", "0000:03:00.0", 2)}).empty());
  Port virtual_function = at("mlx5_2", "0000:03:00.2");
  PciFunction pci = *virtual_function.pci;
  pci.physical = PhysicalFunction{.address = "0000:03:00.0"};
  virtual_function.pci = pci;
  EXPECT_EQ(SharingFirst({at("mlx5_0", "0000:03:00.0"), virtual_function}), other);
}

TEST(ChoosePort, ReportsTheDevicesThatShareTheNic) {
  Facts facts = HostWith({{"10.0.0.1", 24}});
  std::vector<Port> ports = *facts.ports;
  ports.push_back(OnNetdev("rxe1", "dcb0"));
  facts.ports = ports;
  EXPECT_EQ(ChoosePort(facts, "rxe0", 1, "")->sharing, (std::vector<SharingPort>{{"rxe1", 1}}));
}

TEST(RateOf, TakesTheSpeedOfTheEthernetPortAndNotThatOfSysfs) {
  EXPECT_EQ(RateOf(OfSpeed(1'000)), Fact<std::uint32_t>(1'000U));
  const Missing unknown{Missing::Kind::kUnsupported, "no speed"};
  EXPECT_EQ(RateOf(OfSpeed(unknown)).missing(), unknown);
  EXPECT_FALSE(RateOf(OfSpeed(0)));
}

TEST(RateOf, TakesTheSlowestMemberOfABond) {
  Port port = OfSpeed(50'000);
  Netdev member = *port.netdev;
  member.speed_mbps = 25'000;
  Netdev slower = member;
  slower.speed_mbps = 10'000;
  port.lowers = std::vector<Netdev>{member, slower};
  EXPECT_EQ(RateOf(port), Fact<std::uint32_t>(10'000U));
}

TEST(RateOf, TakesTheRateOfAnInfinibandPort) {
  Port port = OfSpeed(1'000);
  port.transport = Transport::kInfiniBand;
  for (const auto& [sysfs, data] : {std::pair{2'500U, 2'000U},    // 1X SDR
                                    std::pair{40'000U, 32'000U},  // 4X QDR
                                    std::pair{56'000U, 54'272U},  // 4X FDR
                                    std::pair{100'000U, 100'000U}, std::pair{200'000U, 200'000U}}) {
    port.rate_mbps = sysfs;
    EXPECT_EQ(RateOf(port), Fact<std::uint32_t>(data));
  }
  port.transport = Missing{Missing::Kind::kFailed, "?"};
  EXPECT_FALSE(RateOf(port));
}

TEST(PortChoice, TakesOnlyThePortsOwnAddress) {
  const Facts facts = HostWith({{"10.0.0.1", 24}});
  EXPECT_EQ(ChoosePort(facts, "rxe0", 1, "10.0.0.1")->port, "rxe0/1");
  EXPECT_EQ(ChoosePort(facts, "rxe0", 1, "10.0.0.9").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PortChoice, TakesAnAddressOfWhatStandsOnThePort) {
  Facts facts = HostWith({});
  Port port = facts.ports->front();
  port.uppers = std::vector<UpperNetdev>{
      {.name = "dcb0.711", .kind = "vlan", .addresses = std::vector<IpAddress>{{"10.0.7.1", 24}}}};
  facts.ports = std::vector<Port>{port};
  EXPECT_EQ(ChoosePort(facts, "rxe0", 1, "")->address, "10.0.7.1");
  EXPECT_EQ(ChoosePort(facts, "rxe0", 1, "10.0.7.1")->address, "10.0.7.1");
}

TEST(PortChoice, KeepsUnknownAddressesApartFromNone) {
  Facts facts = HostWith({});
  Port port = facts.ports->front();
  Netdev netdev = *port.netdev;
  netdev.addresses = Missing{Missing::Kind::kDenied, "list addresses: Permission denied"};
  port.netdev = netdev;
  facts.ports = std::vector<Port>{port};
  const absl::Status status = ChoosePort(facts, "rxe0", 1, "").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
}

TEST(PortChoice, SaysWhenThereIsNoSuchPortOrNoAddress) {
  EXPECT_EQ(ChoosePort(HostWith({}), "rxe0", 1, "").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ChoosePort(HostWith({}), "rxe0", 2, "").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ChoosePort(HostWith({}), "mlx5_0", 1, "").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ChoosePort(Facts(), "rxe0", 1, "").status().code(), absl::StatusCode::kInternal);
}

Port OfNic(const std::string& device, const std::string& place, std::uint64_t guid, std::uint32_t number = 1) {
  Port port;
  port.device = device;
  port.number = number;
  port.node_guid = guid;
  port.pci = PciFunction{.address = place};
  return port;
}

TEST(PortChoice, LocksHardwareUnderOneNameWhateverItIsCalled) {
  const Port port = OfNic("mlx5_0", "0000:3b:00.0", 0xb8599f0300000001);
  EXPECT_EQ(LockNameOf(port), "0000:3b:00.0/b8599f0300000001/1");
  EXPECT_EQ(LockNameOf(OfNic("rocep59s0", "0000:3b:00.0", 0xb8599f0300000001)), LockNameOf(port));
}

// Two network namespaces, each with an mlx5_0 of its own.
TEST(PortChoice, LocksTwoDevicesOfOneNameApart) {
  EXPECT_NE(LockNameOf(OfNic("mlx5_0", "0000:3b:00.0", 1)), LockNameOf(OfNic("mlx5_0", "0000:3b:00.2", 2)));
  Port soft;
  soft.device = "rxe0";
  soft.number = 1;
  soft.node_guid = std::uint64_t{0x505400fffe000001};
  Port other = soft;
  other.node_guid = std::uint64_t{0x505400fffe000002};
  EXPECT_NE(LockNameOf(soft), LockNameOf(other));
}

// A subfunction and the function that it stands on; two software devices over one MAC address; ports.
TEST(PortChoice, LocksWhatSharesAPlaceOrAGuidApart) {
  EXPECT_NE(LockNameOf(OfNic("mlx5_0", "0000:3b:00.0", 1)), LockNameOf(OfNic("mlx5_4", "0000:3b:00.0", 2)));
  EXPECT_NE(LockNameOf(OfNic("mlx4_0", "0000:3b:00.0", 1, 1)),
            LockNameOf(OfNic("mlx4_0", "0000:3b:00.0", 1, 2)));
  // Virtual functions that were given no GUID.
  EXPECT_NE(LockNameOf(OfNic("mlx5_2", "0000:3b:00.2", 0)), LockNameOf(OfNic("mlx5_3", "0000:3b:00.3", 0)));
  Port soft;
  soft.device = "rxe0";
  soft.number = 1;
  soft.node_guid = std::uint64_t{0x505400fffe000001};
  Port twin = soft;
  twin.device = "rxe1";
  EXPECT_NE(LockNameOf(soft), LockNameOf(twin));
}

TEST(PortChoice, LocksByTheNameWhereNothingElseIsKnown) {
  const Facts facts = HostWith({{"10.0.0.1", 24}});
  EXPECT_EQ(ChoosePort(facts, "rxe0", 1, "")->lock, "rxe0/1");
}

}  // namespace
}  // namespace rdmaready
