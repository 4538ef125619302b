// SPDX-License-Identifier: Apache-2.0
// arp.*, ip.rp-filter, ip.route-symmetric, ip.neighbor.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

template <class Change>
Facts WithSubnet(Change change) {
  return WithPort([&change](Port& port) {
    std::vector<Subnet> subnets = *port.subnets;
    change(port, subnets.front());
    port.subnets = subnets;
  });
}

// eth0 is in the subnet of dcb0; both have the settings that are given.
Facts Sharing(const Fact<Ipv4Settings>& own, const Fact<Ipv4Settings>& other, const char* route = "dcb0") {
  return WithSubnet([&](Port& port, Subnet& subnet) {
    Netdev netdev = *port.netdev;
    netdev.ipv4 = own;
    port.netdev = netdev;
    subnet.shared_with = {{.netdev = "eth0", .address = "10.0.0.9", .ipv4 = other}};
    subnet.route = IpRoute{.netdev = route};
  });
}

Facts SharingOnVlan(const Ipv4Settings& own, const Ipv4Settings& other) {
  return WithVlan([&](Port& port, UpperNetdev& vlan) {
    vlan.ipv4 = own;
    std::vector<Subnet> subnets = *port.subnets;
    subnets.front().netdev = vlan.name;
    subnets.front().shared_with = {{.netdev = "eth0", .address = "10.0.0.9", .ipv4 = other}};
    port.subnets = subnets;
  });
}

// Two RDMA ports in one subnet, as the kernel's defaults have it.
Facts TwoInOneSubnet() {
  const auto sharing = [](Port& port, const char* netdev, const char* other) {
    port.subnets =
        std::vector<Subnet>{{.netdev = netdev,
                             .own = {.address = "10.0.0.1", .prefix_length = 24},
                             .shared_with = {{.netdev = other, .address = "10.0.0.9", .ipv4 = Ipv4Settings{}}},
                             .probe = "10.0.0.2",
                             .route = IpRoute{.netdev = netdev}}};
  };
  Facts host = WithSecond(GoodHost(), [&](Port& port) { sharing(port, "dcb1", "dcb0"); });
  std::vector<Port> ports = *host.ports;
  sharing(ports.front(), "dcb0", "dcb1");
  host.ports = ports;
  return host;
}

Facts SubnetsDenied() {
  return WithPort([](Port& port) { port.subnets = Denied(); });
}

Facts OnInfiniBand() {
  return WithPort([](Port& port) { port.transport = Transport::kInfiniBand; });
}

Facts OnlyIpv6() {
  return WithSubnet([](Port&, Subnet& subnet) { subnet.own = {.address = "fd00::1", .prefix_length = 64}; });
}

void AddIgnore(std::vector<CheckCase>& cases) {
  const Ipv4Settings bad;
  const Ipv4Settings one{.arp_ignore = 1};
  const Ipv4Settings two{.arp_ignore = 2};
  const Ipv4Settings none{.arp_ignore = 8};
  const Ipv4Settings filter{.arp_filter = true};
  cases.insert(
      cases.end(),
      {{"arp.ignore", "alone in the subnet", GoodHost(), kPass, "arp_ignore 0: no other interface"},
       {"arp.ignore", "1 and 2", Sharing(one, two), kPass, "good everywhere"},
       {"arp.ignore", "the other one answers for all", Sharing(two, bad), kFail, "arp_ignore 0 on eth0",
        "sysctl -w net.ipv4.conf.all.arp_ignore=2"},
       {"arp.ignore", "both", Sharing(bad, bad), kFail,
        "in the subnet of 10.0.0.1/24 are dcb0, eth0: arp_ignore 0 on dcb0, 0 on eth0"},
       {"arp.ignore", "8 answers for nobody", Sharing(none, two), kFail, "arp_ignore 8 on dcb0"},
       {"arp.ignore", "arp_filter and routes that lead back", Sharing(filter, filter), kPass,
        "good everywhere"},
       {"arp.ignore", "arp_filter alone", Sharing(filter, filter, "eth0"), kFail, "arp_ignore 0 on dcb0"},
       {"arp.ignore", "on a VLAN", SharingOnVlan(bad, two), kFail, "arp_ignore 0 on dcb0.711"},
       {"arp.ignore", "two ports, said once", TwoInOneSubnet(), kPass, "no other interface"},
       {"arp.ignore", "two ports, of the later one", TwoInOneSubnet(), kFail, "dcb1, dcb0", "", {}, 1},
       {"arp.ignore", "own settings denied", Sharing(Denied(), two), kUnknown, "not permitted"},
       {"arp.ignore", "the other's denied", Sharing(two, Denied()), kUnknown, "not permitted"},
       {"arp.ignore", "subnets denied", SubnetsDenied(), kUnknown, "not permitted"},
       {"arp.ignore", "only IPv6", OnlyIpv6(), kNotApplicable, "no IPv4"},
       {"arp.ignore", "InfiniBand", OnInfiniBand(), kNotApplicable, "LID"},
       {"arp.announce", "alone in the subnet", GoodHost(), kPass, "arp_announce 0: no other interface"},
       {"arp.announce", "2", Sharing(Ipv4Settings{.arp_announce = 2}, Ipv4Settings{.arp_announce = 2}), kPass,
        "good everywhere"},
       {"arp.announce", "1", Sharing(Ipv4Settings{.arp_announce = 1}, Ipv4Settings{.arp_announce = 2}), kFail,
        "arp_announce 1 on dcb0", "sysctl -w net.ipv4.conf.all.arp_announce=2"},
       {"arp.announce", "denied", SubnetsDenied(), kUnknown, "not permitted"}});
}

void AddRpFilter(std::vector<CheckCase>& cases) {
  const Ipv4Settings off;
  const Ipv4Settings strict{.rp_filter = 1};
  const Ipv4Settings loose{.rp_filter = 2};
  const Facts strict_alone = WithNetdev([&](Netdev& netdev) { netdev.ipv4 = strict; });
  cases.insert(cases.end(),
               {{"ip.rp-filter", "off", Sharing(off, off), kPass, "good everywhere"},
                {"ip.rp-filter", "loose", Sharing(loose, loose), kPass, "rp_filter 2"},
                {"ip.rp-filter", "strict, alone", strict_alone, kPass, "rp_filter 1: no other interface"},
                {"ip.rp-filter", "strict", Sharing(strict, loose), kFail, "rp_filter 1 on dcb0",
                 "sysctl -w net.ipv4.conf.all.rp_filter=2"},
                {"ip.rp-filter", "strict on the other", Sharing(off, strict), kFail, "rp_filter 1 on eth0"},
                {"ip.rp-filter", "denied", SubnetsDenied(), kUnknown, "not permitted"}});
}

void AddRoute(std::vector<CheckCase>& cases) {
  const auto route = [](Fact<IpRoute> way) {
    return WithSubnet([&way](Port&, Subnet& subnet) { subnet.route = way; });
  };
  const Facts six = WithSubnet([](Port&, Subnet& subnet) {
    subnet.own = {.address = "fd00::1", .prefix_length = 64};
    subnet.probe = "fd00::2";
    subnet.route = IpRoute{.netdev = "eth0", .gateway = "fd00::ff"};
  });
  Facts ruled = route(IpRoute{.netdev = "eth0"});
  ruled.routing_rules =
      std::vector<RoutingRule>{{.ipv6 = true, .selector = "from all", .action = "prohibit"},
                               {.priority = 90, .selector = "from 10.0.9.1", .action = "lookup 9"},
                               {.priority = 91, .selector = "from all to 10.0.8.0/22", .action = "lookup 9"},
                               {.priority = 92, .selector = "from all iif eth9", .action = "lookup 9"},
                               {.priority = 100, .selector = "from 10.0.0.0/24", .action = "lookup 1000"}};
  const Missing single{.kind = Missing::Kind::kUnsupported, .detail = "no other address is in the subnet"};
  cases.insert(
      cases.end(),
      {{"ip.route-symmetric", "good", GoodHost(), kPass, "from 10.0.0.1 to 10.0.0.2: by dcb0"},
       {"ip.route-symmetric", "another interface", route(IpRoute{.netdev = "eth0"}), kFail,
        "from 10.0.0.1 to 10.0.0.2: by eth0",
        "ip route replace 10.0.0.0/24 dev dcb0 src 10.0.0.1 table 1003 && ip rule add from 10.0.0.1 table "
        "1003"},
       {"ip.route-symmetric", "another interface by a rule", ruled, kFail,
        "by eth0 (rules: 100: from 10.0.0.0/24 lookup 1000)"},
       {"ip.route-symmetric", "no route", route(IpRoute{}), kFail, "there is no route"},
       {"ip.route-symmetric", "IPv6, by a router", six, kFail, "by eth0 and fd00::ff",
        "ip -6 route replace fd00::/64 dev dcb0 src fd00::1 table 1003 && ip -6 rule add from fd00::1"},
       {"ip.route-symmetric", "denied", route(Denied()), kUnknown, "not permitted"},
       {"ip.route-symmetric", "subnets denied", SubnetsDenied(), kUnknown, "not permitted"},
       {"ip.route-symmetric", "nobody else", route(single), kNotApplicable, "no other address"},
       {"ip.route-symmetric", "no address", WithPort([](Port& port) { port.subnets = std::vector<Subnet>{}; }),
        kNotApplicable, "no address"},
       {"ip.route-symmetric", "InfiniBand", OnInfiniBand(), kNotApplicable, "LID"}});
}

void AddNeighbour(std::vector<CheckCase>& cases) {
  const auto failed = [](std::size_t count, std::uint32_t age_s) {
    return WithPort([=](Port& port) {
      std::vector<Neighbour> list = *port.neighbours;
      for (std::size_t i = 0; i < count; ++i) {
        list.push_back({.netdev = "dcb0",
                        .address = "10.0.0." + std::to_string(70 + i),
                        .state = NeighbourState::kFailed,
                        .age_s = age_s});
      }
      port.neighbours = list;
    });
  };
  cases.insert(
      cases.end(),
      {{"ip.neighbor", "good", GoodHost(), kPass, "1 neighbour is known"},
       {"ip.neighbor", "none", WithPort([](Port& port) { port.neighbours = std::vector<Neighbour>{}; }), kPass,
        "0 neighbours are known"},
       {"ip.neighbor", "one failed", failed(1, 12), kFail, "asked for in vain: 10.0.0.70 on dcb0 12 s ago",
        "ip neighbour flush dev dcb0 nud failed"},
       {"ip.neighbor", "many failed", failed(5, 12), kFail, "10.0.0.72 on dcb0 12 s ago and 2 more"},
       {"ip.neighbor", "failed long ago", failed(1, 301), kPass, "1 neighbour is known"},
       {"ip.neighbor", "denied", WithPort([](Port& port) { port.neighbours = Denied(); }), kUnknown,
        "not permitted"},
       {"ip.neighbor", "InfiniBand", OnInfiniBand(), kNotApplicable, "LID"}});
}

}  // namespace

void AddPathCases(std::vector<CheckCase>& cases) {
  AddIgnore(cases);
  AddRpFilter(cases);
  AddRoute(cases);
  AddNeighbour(cases);
}

}  // namespace rdmaready
