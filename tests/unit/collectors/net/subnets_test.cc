// SPDX-License-Identifier: Apache-2.0
// Subnets, routes, neighbours and IPv4 settings.
#include "collectors/net/subnets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "collectors/net/ipv4_settings.h"
#include "collectors/net/neighbours.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/good_fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using wire::operator+;

using FourOctets = std::array<std::uint8_t, 4>;

constexpr std::array<const char*, 5> kFiles{"arp_ignore", "arp_announce", "rp_filter", "accept_local",
                                            "arp_filter"};

void Set(FakeHost& host, const std::string& name, std::array<int, 5> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    host.files["/proc/sys/net/ipv4/conf/" + name + "/" + kFiles[i]] = std::to_string(values[i]) + "\n";
}

// eth0 10.0.0.1/24; eth1 10.0.0.9/24 beside it; eth2 10.0.0.8/24 that is down; lo.
FakeHost HostOfThree() {
  FakeHost host;
  wire::Bytes lo = wire::Link(1, "lo", 65536);
  lo[8] = std::byte{0x9};  // ifi_flags: up, loopback
  wire::Bytes down =
      wire::LinkHeader(9, false, false) + wire::Text(IFLA_IFNAME, "eth2") + wire::U32(IFLA_MTU, 1500);
  host.Answer(wire::LinksRequest(),
              wire::Each({lo, wire::Link(7, "eth0", 9000), wire::Link(8, "eth1", 1500), down}));
  host.Answer(wire::AddressesRequest(),
              wire::Each({wire::Address4(1, {10, 0, 0, 77}, 24), wire::Address4(7, {10, 0, 0, 1}, 24),
                          wire::Address4(8, {10, 0, 0, 9}, 24), wire::Address4(9, {10, 0, 0, 8}, 24)}));
  Set(host, "all", {0, 0, 2, 0, 0});
  Set(host, "eth1", {1, 2, 1, 1, 1});
  host.Answer(wire::RouteRequest({10, 0, 0, 1}, {10, 0, 0, 2}), wire::One(wire::Route(7)));
  return host;
}

Port PortOnEth0() {
  Netdev netdev;
  netdev.name = "eth0";
  netdev.ifindex = 7;
  netdev.addresses = std::vector<IpAddress>{{"10.0.0.1", 24}, {"169.254.3.4", 16}, {"fe80::1", 64}};
  Port port;
  port.netdev = netdev;
  port.uppers = std::vector<UpperNetdev>{};
  return port;
}

Fact<std::vector<Subnet>> Read(FakeHost& host) { return ReadSubnets(host, ReadNetwork(host), PortOnEth0()); }

TEST(Ipv4Settings, AreTheLargerOfAllAndTheInterfaceAndEitherOfTheSwitches) {
  FakeHost host;
  Set(host, "all", {1, 0, 2, 1, 0});
  Set(host, "eth0", {0, 2, 1, 0, 1});
  const auto settings = EffectiveIpv4(ReadIpv4Conf(host, "all"), ReadIpv4Conf(host, "eth0"));
  ASSERT_TRUE(settings);
  EXPECT_EQ(*settings,
            (Ipv4Settings{
                .arp_ignore = 1, .arp_announce = 2, .rp_filter = 2, .accept_local = true, .arp_filter = true}));
}

TEST(Ipv4Settings, ThatCannotBeReadOrMakeNoSenseAreGaps) {
  FakeHost host;
  Set(host, "all", {0, 0, 0, 0, 0});
  EXPECT_FALSE(EffectiveIpv4(ReadIpv4Conf(host, "all"), ReadIpv4Conf(host, "eth0")));
  EXPECT_FALSE(EffectiveIpv4(ReadIpv4Conf(host, "eth0"), ReadIpv4Conf(host, "all")));
  host.files["/proc/sys/net/ipv4/conf/all/rp_filter"] = "on\n";
  EXPECT_THAT(ReadIpv4Conf(host, "all").missing().detail, HasSubstr("\"on\" is not a setting"));
}

TEST(Ipv4Sysctls, AreThePlainNumbersOfAllAndOfThePortsInterfaces) {
  FakeHost host;
  Set(host, "all", {1, 0, 2, 0, 0});
  Set(host, "eth0", {0, 2, 1, 5, 1});
  Set(host, "eth0.711", {8, 0, 0, 0, 0});
  Set(host, "eth9", {0, 0, 0, 0, 0});
  Port port = PortOnEth0();
  port.uppers = std::vector<UpperNetdev>{{.name = "eth0.711"}, {.name = "gone0"}};
  port.subnets = std::vector<Subnet>{{.netdev = "eth0", .shared_with = {{.netdev = "eth0"}}}};
  const auto sysctls = ReadIpv4Sysctls(host, std::vector<Port>{port, port});
  ASSERT_TRUE(sysctls) << sysctls.missing().detail;
  const std::string conf = "net.ipv4.conf.";
  EXPECT_THAT(*sysctls,
              ElementsAre(Sysctl{conf + "all.accept_local", 0}, Sysctl{conf + "all.arp_announce", 0},
                          Sysctl{conf + "all.arp_ignore", 1}, Sysctl{conf + "all.rp_filter", 2},
                          Sysctl{conf + "eth0.accept_local", 5}, Sysctl{conf + "eth0.arp_announce", 2},
                          Sysctl{conf + "eth0.arp_ignore", 0}, Sysctl{conf + "eth0.rp_filter", 1},
                          Sysctl{conf + "eth0/711.accept_local", 0}, Sysctl{conf + "eth0/711.arp_announce", 0},
                          Sysctl{conf + "eth0/711.arp_ignore", 8}, Sysctl{conf + "eth0/711.rp_filter", 0}));
}

TEST(Ipv4Sysctls, AreAGapWhereThoseOfAllCannotBeReadAndLeaveOutWhatIsNoNumber) {
  FakeHost host;
  Set(host, "eth0", {0, 0, 0, 0, 0});
  const std::vector<Port> ports{PortOnEth0()};
  EXPECT_FALSE(ReadIpv4Sysctls(host, ports));
  EXPECT_FALSE(ReadIpv4Sysctls(host, Missing{}));
  EXPECT_EQ(ReadIpv4Sysctls(host, std::vector<Port>{})->size(), 0U);
  Set(host, "all", {0, 0, 0, 0, 0});
  host.files["/proc/sys/net/ipv4/conf/eth0/rp_filter"] = "-1\n";
  EXPECT_EQ(ReadIpv4Sysctls(host, ports)->size(), 7U);
}

TEST(Subnets, NameWhoSharesThemAndTheWayToAnAddressThatIsNotOurs) {
  FakeHost host = HostOfThree();
  const auto subnets = Read(host);
  ASSERT_TRUE(subnets) << subnets.missing().detail;
  ASSERT_EQ(subnets->size(), 1U);  // not of the link-local addresses
  const Subnet& subnet = subnets->front();
  EXPECT_EQ(subnet.netdev, "eth0");
  EXPECT_EQ(subnet.own, (IpAddress{"10.0.0.1", 24}));
  ASSERT_EQ(subnet.shared_with.size(), 1U);
  EXPECT_EQ(subnet.shared_with[0].netdev, "eth1");
  EXPECT_EQ(subnet.shared_with[0].address, "10.0.0.9");
  EXPECT_EQ(subnet.shared_with[0].ipv4->arp_ignore, 1U);
  EXPECT_EQ(subnet.shared_with[0].ipv4->rp_filter, 2U);
  EXPECT_EQ(subnet.probe, "10.0.0.2");
  EXPECT_EQ(*subnet.route, (IpRoute{.netdev = "eth0"}));
}

TEST(Subnets, AskTheKernelAndDoNotGuess) {
  FakeHost host = HostOfThree();
  const NetlinkRequest request = wire::RouteRequest({10, 0, 0, 1}, {10, 0, 0, 2});
  host.Answer(request, wire::One(wire::Route(8, RTN_UNICAST,
                                             wire::Attr(RTA_GATEWAY, wire::Of(FourOctets{10, 9, 9, 9})))));
  EXPECT_EQ(*Read(host)->front().route, (IpRoute{.netdev = "eth1", .gateway = "10.9.9.9"}));
  host.Answer(request, ErrnoStatus(ENETUNREACH, "ask rtnetlink GETROUTE"));
  EXPECT_EQ(*Read(host)->front().route, IpRoute{});
  host.Answer(request, wire::One(wire::Route(1, RTN_UNREACHABLE)));
  EXPECT_EQ(*Read(host)->front().route, IpRoute{});
  host.Answer(request, ErrnoStatus(EPERM, "ask rtnetlink GETROUTE"));
  EXPECT_EQ(Read(host)->front().route.missing().kind, Missing::Kind::kDenied);
}

TEST(Subnets, OfAVrfHaveRoutesThatWeDoNotSee) {
  FakeHost host = HostOfThree();
  const wire::Bytes member = wire::Link(7, "eth0", 9000) + wire::Master(20);
  host.Answer(wire::LinksRequest(), wire::Each({member, wire::Link(20, "vrf0", 9000, "vrf")}));
  const auto subnets = Read(host);
  EXPECT_EQ(subnets->front().route.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_THAT(subnets->front().route.missing().detail, HasSubstr("VRF"));
}

TEST(Subnets, AreAGapWhereThePortsAddressesAreOne) {
  FakeHost host = HostOfThree();
  Port port = PortOnEth0();
  port.uppers = Missing{Missing::Kind::kDenied, "no"};
  EXPECT_EQ(ReadSubnets(host, ReadNetwork(host), port).missing().detail, "no");
  EXPECT_EQ(NeighboursOf(ReadNetwork(host), port).missing().detail, "no");
}

TEST(DefaultRoutes, LeadToWhatIsInNobodysNetwork) {
  const auto request = [](unsigned char family, const wire::Bytes& to) {
    rtmsg header{};
    header.rtm_family = family;
    header.rtm_dst_len = family == AF_INET ? 32 : 128;
    return NetlinkRequest{NETLINK_ROUTE, RTM_GETROUTE, false, wire::Of(header) + wire::Attr(RTA_DST, to)};
  };
  const NetlinkRequest four = request(AF_INET, wire::Of(std::array<std::uint8_t, 4>{192, 0, 2, 1}));
  const std::array<std::uint8_t, 16> documentation{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  const NetlinkRequest six = request(AF_INET6, wire::Of(documentation));
  FakeHost host = GoodFakeHost();
  host.Answer(four, wire::One(wire::Route(7)));
  host.Answer(six, wire::One(wire::Route(7)));
  EXPECT_EQ(*ReadDefaultRoutes(host, ReadNetwork(host)), std::vector<std::string>{"dcb0"});
  host.Answer(four, ErrnoStatus(ENETUNREACH, "route"));
  host.Answer(six, ErrnoStatus(ENETUNREACH, "route"));
  EXPECT_TRUE(ReadDefaultRoutes(host, ReadNetwork(host))->empty());
  host.Answer(six, ErrnoStatus(EPERM, "route"));
  EXPECT_EQ(ReadDefaultRoutes(host, ReadNetwork(host)).missing().kind, Missing::Kind::kDenied);
}

TEST(ProbeAddress, IsNearFreeAndAHosts) {
  EXPECT_EQ(ProbeAddress({"10.0.0.1", 24}, {"10.0.0.1"}), "10.0.0.2");
  EXPECT_EQ(ProbeAddress({"10.0.0.1", 24}, {"10.0.0.2", "10.0.0.3"}), "10.0.0.4");
  EXPECT_EQ(ProbeAddress({"10.0.0.254", 24}, {}), "10.0.0.253");  // not the broadcast address
  EXPECT_EQ(ProbeAddress({"10.0.0.2", 30}, {"10.0.0.1"}), "");    // the others are the subnet and broadcast
  EXPECT_EQ(ProbeAddress({"10.0.0.0", 31}, {}), "10.0.0.1");
  EXPECT_EQ(ProbeAddress({"10.0.0.1", 32}, {}), "");
  EXPECT_EQ(ProbeAddress({"fd00::ff", 64}, {}), "fd00::100");
  EXPECT_EQ(ProbeAddress({"fd00::1", 127}, {}), "fd00::");
  EXPECT_EQ(ProbeAddress({"fd00::1", 128}, {}), "");
  EXPECT_EQ(ProbeAddress({"nonsense", 24}, {}), "");
}

bool InOneSubnet(const IpAddress& a, const IpAddress& b) {
  const SubnetMembers members(AddressTable{{1, {a}}, {2, {b}}});
  const bool found = members.FirstOfEach(a).contains(2);
  EXPECT_EQ(members.FirstOfEach(b).contains(1), found);
  return found;
}

TEST(SubnetMembers, CompareTheShorterPrefixAndOneFamily) {
  EXPECT_TRUE(InOneSubnet({"10.0.0.1", 24}, {"10.0.0.200", 24}));
  EXPECT_TRUE(InOneSubnet({"10.0.0.1", 16}, {"10.0.3.1", 24}));
  EXPECT_FALSE(InOneSubnet({"10.0.0.1", 24}, {"10.0.1.1", 24}));
  EXPECT_FALSE(InOneSubnet({"10.0.0.1", 0}, {"fd00::1", 0}));
  EXPECT_FALSE(InOneSubnet({"", 0}, {"", 0}));
}

TEST(SubnetMembers, AreTheFirstAddressOfEachInterface) {
  const IpAddress own{"10.0.0.1", 16};
  const SubnetMembers members(AddressTable{{2, {own}},
                                           {3, {{"10.1.0.1", 16}, {"10.0.1.1", 24}, {"10.0.2.1", 8}}},
                                           {4, {{"10.0.3.1", 8}, {"10.0.4.1", 24}, {"fd00::1", 64}}},
                                           {5, {{"10.2.0.1", 24}}}});
  EXPECT_THAT(members.FirstOfEach(own),
              ElementsAre(Pair(2, "10.0.0.1"), Pair(3, "10.0.1.1"), Pair(4, "10.0.3.1")));
  EXPECT_TRUE(members.taken().contains("fd00::1"));
  EXPECT_EQ(members.taken().size(), 8U);
}

TEST(Neighbours, HaveStateAddressAndAge) {
  nda_cacheinfo cache{};
  cache.ndm_updated = 1250;  // hundredths of a second
  const wire::Bytes mac{std::byte{2}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x1f}};
  const auto one = DecodeNeighbour(wire::Neighbour(
      7, {10, 0, 0, 2}, NUD_STALE, wire::Attr(NDA_LLADDR, mac) + wire::Attr(NDA_CACHEINFO, wire::Of(cache))));
  ASSERT_TRUE(one.ok());
  EXPECT_EQ((*one)->ifindex, 7U);
  EXPECT_EQ(
      (*one)->neighbour,
      (Neighbour{
          .address = "10.0.0.2", .mac = "02:00:00:00:00:1f", .state = NeighbourState::kStale, .age_s = 12}));
  EXPECT_EQ((*DecodeNeighbour(wire::Neighbour(7, {10, 0, 0, 2}, NUD_FAILED)))->neighbour.state,
            NeighbourState::kFailed);
}

TEST(Neighbours, ThatWereNeverAskedForAreNone) {
  EXPECT_FALSE(DecodeNeighbour(wire::Neighbour(7, {224, 0, 0, 1}, NUD_NOARP))->has_value());
  EXPECT_FALSE(DecodeNeighbour(wire::Neighbour(7, {10, 0, 0, 2}, NUD_NONE))->has_value());
  EXPECT_FALSE(DecodeNeighbour(wire::Of(ndmsg{}))->has_value());
}

TEST(Neighbours, AreThoseOfThePort) {
  FakeHost host = HostOfThree();
  host.Answer(wire::NeighboursRequest(), wire::Each({wire::Neighbour(8, {10, 0, 0, 3}, NUD_FAILED),
                                                     wire::Neighbour(7, {10, 0, 0, 2}, NUD_REACHABLE)}));
  const auto neighbours = NeighboursOf(ReadNetwork(host), PortOnEth0());
  ASSERT_TRUE(neighbours) << neighbours.missing().detail;
  EXPECT_THAT(*neighbours, ElementsAre(Neighbour{
                               .netdev = "eth0", .address = "10.0.0.2", .state = NeighbourState::kReachable}));
}

}  // namespace
}  // namespace rdmaready
