// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/pairing.h"

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

TEST(PairByRoute, PairsPortsOfOneNameThenThoseThatAreLeft) {
  const auto rail = [](const char* device, const char* address) {
    Port port = PortWith({{.address = address, .prefix_length = 31}});
    port.device = device;
    return port;
  };
  const Facts a =
      HostWith({rail("mlx5_0", "10.0.0.0"), rail("mlx5_1", "10.0.1.0"), rail("mlx5_2", "10.0.2.0")});
  const Facts b =
      HostWith({rail("mlx5_1", "10.1.1.0"), rail("mlx5_0", "10.1.0.0"), rail("mlx5_7", "10.1.7.0")});
  const std::vector<PortPair> pairs = PairByRoute(a, b);
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0], (PortPair{0, 1, "10.0.0.0", "10.1.0.0", true}));
  EXPECT_EQ(pairs[1], (PortPair{1, 0, "10.0.1.0", "10.1.1.0", true}));
  EXPECT_EQ(pairs[2], (PortPair{2, 2, "10.0.2.0", "10.1.7.0", true}));
  const Facts one = HostWith({rail("mlx5_0", "10.2.0.0")});
  EXPECT_EQ(PairByRoute(a, one).size(), 3U) << "each port of a has a partner";
}

TEST(PairByRoute, NeedsOneTransportOneFamilyAndOwnAddresses) {
  EXPECT_TRUE(PairByRoute(Simple("10.0.0.1"), Simple("10.0.1.1", 24, Transport::kIwarp)).empty());
  EXPECT_TRUE(PairByRoute(Simple("10.0.0.1"), Simple("2001:db8::1", 64)).empty());
  EXPECT_TRUE(PairByRoute(Simple("10.0.0.1", 24), Simple("10.0.0.1", 32)).empty());
  EXPECT_TRUE(PairByRoute(Simple("10.0.0.1"), HostWith({PortWith({})})).empty());
  EXPECT_EQ(PairByRoute(Simple("2001:db8::1", 64), Simple("2001:db8:1::1", 64)).size(), 1U);
  EXPECT_TRUE(PairPorts(Simple("10.0.0.1"), Simple("10.0.1.2")).untried);
  EXPECT_FALSE(PairPorts(Simple("10.0.0.1"), Simple("10.0.1.2", 24, Transport::kIwarp)).untried);
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

TEST(PairPorts, RefusesLinkLocalAddressesOfBothKinds) {
  EXPECT_THAT(PairPorts(Simple("169.254.1.1", 16), Simple("169.254.1.2", 16)).pairs, IsEmpty());
  EXPECT_THAT(PairPorts(Simple("fe80::1", 64), Simple("fe80::2", 64)).pairs, IsEmpty());
}

TEST(PairPorts, NamesThePortsThatStayAlone) {
  const auto rails = [](const std::string& first, const std::string& second) {
    return HostWith({PortWith({{first, 24}}), PortWith({{second, 24}})});
  };
  const Pairing pairing = PairPorts(rails("10.0.0.1", "10.0.1.1"), rails("10.0.0.2", "10.0.9.2"));
  EXPECT_EQ(pairing.pairs.size(), 1U);
  EXPECT_THAT(pairing.reason, IsEmpty());
  EXPECT_THAT(pairing.a_unpaired,
              testing::ElementsAre(UnpairedPort{.port = 1, .reason = "no port of b in its subnet"}));
  EXPECT_THAT(pairing.b_unpaired,
              testing::ElementsAre(UnpairedPort{.port = 1, .reason = "no port of a in its subnet"}));
}

TEST(PairPorts, SaysWhatKeepsAPortAlone) {
  const auto with = [](Port second) { return HostWith({PortWith({{"10.0.0.2", 24}}), std::move(second)}); };
  const auto reason = [&](Port second) {
    return PairPorts(HostWith({PortWith({{"10.0.0.1", 24}})}), with(std::move(second))).b_unpaired.at(0).reason;
  };
  EXPECT_EQ(reason(Port{}), "its transport is not known");
  Port blind = GoodPort();
  blind.netdev = Denied();
  EXPECT_EQ(reason(blind), "its addresses are not known");
  EXPECT_EQ(reason(PortWith({})), "it has no address that can be tested");
  EXPECT_EQ(reason(PortWith({{"10.0.0.1", 32}})), "a port of a has the same address");
  EXPECT_EQ(reason(PortWith({{"10.0.0.3", 24}}, Transport::kIwarp)),
            "no port of a speaks its transport, iwarp");
}

// The first port of b could take either port of a; the second one only the first.
TEST(PairPorts, StrandsNoPortThatHasAPartner) {
  const Facts a = HostWith({PortWith({{"10.0.0.1", 24}}), PortWith({{"10.0.1.1", 24}})});
  const Facts b = HostWith({PortWith({{"10.0.0.2", 24}, {"10.0.1.2", 24}}), PortWith({{"10.0.0.3", 24}})});
  const Pairing pairing = PairPorts(a, b);
  ASSERT_EQ(pairing.pairs.size(), 2U);
  EXPECT_EQ(pairing.pairs[0], (PortPair{0, 1, "10.0.0.1", "10.0.0.3"}));
  EXPECT_EQ(pairing.pairs[1], (PortPair{1, 0, "10.0.1.1", "10.0.1.2"}));
  EXPECT_THAT(pairing.b_unpaired, IsEmpty());
}

TEST(PairPorts, UsesAPortAgainRatherThanLeaveAnotherOneOut) {
  const Facts two = HostWith({PortWith({{"10.0.0.1", 24}}), PortWith({{"10.0.0.3", 24}})});
  const Pairing more = PairPorts(Simple("10.0.0.2"), two);
  ASSERT_EQ(more.pairs.size(), 2U);
  EXPECT_EQ(more.pairs[1].b_port, 1U);
  EXPECT_EQ(more.pairs[1].b_address, "10.0.0.3");
  EXPECT_EQ(PairPorts(two, Simple("10.0.0.2")).pairs.size(), 2U);
}

TEST(PairPorts, FindsTheSubnetOfAVlanOrABondOnThePort) {
  const auto with_vlan = [](const std::string& untagged, const std::string& tagged) {
    Port port = PortWith({{untagged, 24}});
    port.uppers = std::vector<UpperNetdev>{
        {.name = "dcb0.711", .kind = "vlan", .addresses = std::vector<IpAddress>{{tagged, 24}}}};
    return HostWith({port});
  };
  const Pairing pairing = PairPorts(with_vlan("10.0.0.1", "10.0.7.1"), with_vlan("10.0.9.2", "10.0.7.2"));
  ASSERT_EQ(pairing.pairs.size(), 1U);
  EXPECT_EQ(pairing.pairs[0].a_address, "10.0.7.1");
  EXPECT_EQ(pairing.pairs[0].b_address, "10.0.7.2");

  Port silent = PortWith({});
  silent.uppers = std::vector<UpperNetdev>{{.name = "bond0", .kind = "bond", .addresses = Denied()}};
  EXPECT_TRUE(PairPorts(Simple("10.0.0.2"), HostWith({silent})).undetermined);
}

TEST(PairPorts, TellsWhatIsNotKnownFromWhatIsNot) {
  EXPECT_FALSE(PairPorts(HostWith({}), Simple("10.0.0.2")).undetermined);
  EXPECT_FALSE(PairPorts(HostWith({}), Facts{}).undetermined);  // there is none, whatever the other has
  EXPECT_FALSE(PairPorts(Facts{}, HostWith({})).undetermined);
  EXPECT_TRUE(PairPorts(Simple("10.0.0.2"), Facts{}).undetermined);
  EXPECT_FALSE(PairPorts(Simple("10.0.0.1"), Simple("10.0.1.2")).undetermined);
  EXPECT_FALSE(PairPorts(Simple("10.0.0.1"), Simple("10.0.0.2", 24, Transport::kIwarp)).undetermined);

  Port silent = GoodPort();
  silent.transport = Denied();
  EXPECT_FALSE(PairPorts(Simple("10.0.1.2"), HostWith({silent})).undetermined);  // no common subnet anyway
  EXPECT_TRUE(PairPorts(Simple("10.0.0.2"), HostWith({silent})).undetermined);

  Port blind = GoodPort();
  Netdev netdev = *blind.netdev;
  netdev.addresses = Denied();
  blind.netdev = netdev;
  const Pairing pairing = PairPorts(Simple("10.0.0.2"), HostWith({blind}));
  EXPECT_TRUE(pairing.undetermined);
  EXPECT_EQ(pairing.reason, "the addresses of rxe0/1 of b are not known");
  EXPECT_FALSE(PairPorts(Simple("10.0.0.2", 24, Transport::kIwarp), HostWith({blind})).undetermined);

  Port without = GoodPort();
  without.netdev = Missing{.kind = Missing::Kind::kUnsupported};  // none in this namespace: an answer
  EXPECT_FALSE(PairPorts(Simple("10.0.0.2"), HostWith({without})).undetermined);
}

}  // namespace
}  // namespace rdmaready
