// SPDX-License-Identifier: Apache-2.0
#include "checks/pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Port PortWith(std::vector<IpAddress> addresses, Transport transport = Transport::kRoce) {
  Port port = GoodPort();
  port.transport = transport;
  Netdev netdev = *port.netdev;
  netdev.addresses = std::move(addresses);
  port.netdev = netdev;
  return port;
}

Facts HostWith(std::vector<Port> ports) {
  Facts host = GoodHost();
  host.ports = std::move(ports);
  return host;
}

Facts Simple(std::string address, std::uint8_t bits = 24, Transport transport = Transport::kRoce) {
  return HostWith({PortWith({{.address = std::move(address), .prefix_length = bits}}, transport)});
}

TEST(PairPorts, FindsTheCommonSubnet) {
  const Pairing pairing = PairPorts(Simple("10.0.0.1"), Simple("10.0.0.2"));
  ASSERT_EQ(pairing.pairs.size(), 1U);
  EXPECT_EQ(pairing.pairs[0], (PortPair{.a_address = "10.0.0.1", .b_address = "10.0.0.2"}));
  EXPECT_THAT(pairing.reason, IsEmpty());
}

TEST(PairPorts, UsesEachPortOnce) {
  const auto rails = [](int host) {
    const std::string last = std::to_string(host);
    return HostWith({PortWith({{"10.0.0." + last, 24}}), PortWith({{"10.0.1." + last, 24}}),
                     PortWith({{"10.0.1.1" + last, 24}})});
  };
  const Pairing pairing = PairPorts(rails(1), rails(2));
  ASSERT_EQ(pairing.pairs.size(), 3U);
  EXPECT_EQ(pairing.pairs[0].b_port, 0U);
  EXPECT_EQ(pairing.pairs[1].b_port, 1U);
  EXPECT_EQ(pairing.pairs[2].b_port, 2U);
}

TEST(PairPorts, PrefersIpv4AndTakesGlobalIpv6) {
  const auto both = [](std::string v6, std::string v4) {
    return HostWith({PortWith({{std::move(v6), 64}, {std::move(v4), 24}})});
  };
  EXPECT_EQ(PairPorts(both("fd00::1", "10.0.0.1"), both("fd00::2", "10.0.0.2")).pairs.at(0).a_address,
            "10.0.0.1");
  EXPECT_EQ(PairPorts(both("fd00::1", "10.0.0.1"), both("fd00::2", "10.0.1.2")).pairs.at(0).b_address,
            "fd00::2");
}

TEST(PairPorts, SaysWhichSubnetsTheyHave) {
  EXPECT_EQ(PairPorts(Simple("10.0.0.1"), Simple("10.0.1.2")).reason,
            "no common subnet: a has 10.0.0.1/24, b has 10.0.1.2/24");
  EXPECT_EQ(PairPorts(Simple("10.0.0.1"), HostWith({PortWith({})}), "x", "y").reason,
            "no common subnet: x has 10.0.0.1/24, y has no address");
}

TEST(PairPorts, WantsBothToSeeTheOtherInTheirSubnet) {
  EXPECT_THAT(PairPorts(Simple("10.0.0.1", 8), Simple("10.0.1.2", 24)).reason, HasSubstr("no common subnet"));
}

TEST(PairPorts, RefusesAddressesThatLeadNowhere) {
  for (const char* address : {"fe80::1", "127.0.0.1", "::1", "0.0.0.0", "nonsense", ""}) {
    EXPECT_THAT(PairPorts(Simple(address, 8), Simple("10.0.0.2")).pairs, IsEmpty()) << address;
  }
  EXPECT_THAT(PairPorts(Simple("10.0.0.1", 60), Simple("10.0.0.2", 60)).pairs, IsEmpty());
}

TEST(PairPorts, TellsADuplicateAddressFromADistantOne) {
  EXPECT_THAT(PairPorts(Simple("10.0.0.1"), Simple("10.0.0.1")).reason, HasSubstr("both have 10.0.0.1/24"));
}

TEST(PairPorts, KeepsTransportsApart) {
  EXPECT_EQ(PairPorts(Simple("10.0.0.1"), Simple("10.0.0.2", 24, Transport::kIwarp)).reason,
            "different transports: a has roce, b has iwarp");
  Facts unknown = Simple("10.0.0.2");
  unknown.ports = std::vector<Port>{Port{}};
  EXPECT_THAT(PairPorts(Simple("10.0.0.1"), unknown).reason, HasSubstr("b has unknown"));
}

TEST(PairPorts, SaysWhoHasNoPortAndWhosePortsAreNotKnown) {
  EXPECT_EQ(PairPorts(HostWith({}), Simple("10.0.0.2")).reason, "a has no RDMA port");
  EXPECT_EQ(PairPorts(Simple("10.0.0.2"), Facts{}).reason, "the ports of b are not known");
}

}  // namespace
}  // namespace rdmaready
