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

}  // namespace
}  // namespace rdmaready
