// SPDX-License-Identifier: Apache-2.0
#include "collectors/lag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using wire::operator+;
using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

constexpr std::uint8_t kLacp = 4;

// eth0 (2) and eth1 (3) of one driver are in bond0 (9).
FakeHost BondedHost(const char* second_driver = "mlx5_core") {
  FakeHost host;
  const wire::Bytes eth0 = wire::Link(2, "eth0", 9000) + wire::Master(9);
  const wire::Bytes eth1 = wire::Link(3, "eth1", 9000) + wire::Master(9);
  host.Answer(wire::LinksRequest(), wire::Each({eth0, eth1, wire::BondLink(9, "bond0", kLacp)}));
  host.Answer(wire::LinkRequest(2), wire::One(eth0));
  host.Answer(wire::LinkRequest(3), wire::One(eth1));
  host.files["/sys/class/net/eth1/ifindex"] = std::string("3\n");
  host.links["/sys/class/net/eth1/device/driver"] = std::string("../drivers/") + second_driver;
  return host;
}

Port On(const char* netdev, std::uint32_t ifindex) {
  Port port;
  port.device = std::string("mlx5_") + netdev;
  port.number = 1;
  port.software = false;
  port.netdev = Netdev{.name = netdev, .ifindex = ifindex, .driver = "mlx5_core"};
  port.lowers = std::vector<Netdev>{};
  return port;
}

std::vector<Port> Found(FakeHost host, std::vector<Port> ports) {
  const Network network = ReadNetwork(host);
  FindLags(host, network, ports);
  return ports;
}

Names LowerNames(const Port& port) {
  Names names;
  for (const Netdev& lower : *port.lowers) names.push_back(lower.name);
  return names;
}

TEST(Lag, IsAllMembersWhereOneHasNoDeviceOfItsOwn) {
  const std::vector<Port> ports = Found(BondedHost(), {On("eth0", 2)});
  ASSERT_TRUE(ports[0].lowers);
  EXPECT_THAT(LowerNames(ports[0]), ElementsAre("eth0", "eth1"));
  ASSERT_TRUE(ports[0].uppers);
  ASSERT_EQ(ports[0].uppers->size(), 1U);
  EXPECT_EQ(ports[0].uppers->front().name, "bond0");
  EXPECT_THAT(ports[0].uppers->front().over, ElementsAre("eth0", "eth1"));
}

TEST(Lag, IsNoneWhereEachMemberHasADevice) {
  for (const Port& port : Found(BondedHost(), {On("eth0", 2), On("eth1", 3)}))
    EXPECT_THAT(LowerNames(port), IsEmpty());
}

TEST(Lag, LeavesOutMembersOfAnotherDriver) {
  EXPECT_THAT(LowerNames(Found(BondedHost("igb"), {On("eth0", 2)})[0]), IsEmpty());
}

TEST(Lag, OfSoftwareThereIsNone) {
  Port port = On("eth0", 2);
  port.software = true;
  EXPECT_THAT(LowerNames(Found(BondedHost(), {port})[0]), IsEmpty());
}

TEST(Lag, IsNotKnownWhereAnotherPortsNetdevIsNot) {
  Port hidden = On("eth1", 3);
  hidden.netdev = Missing{Missing::Kind::kFailed, "it was renamed"};
  const Port port = Found(BondedHost(), {On("eth0", 2), hidden})[0];
  ASSERT_FALSE(port.lowers);
  EXPECT_EQ(port.lowers.missing().detail, "it was renamed");
}

}  // namespace
}  // namespace rdmaready
