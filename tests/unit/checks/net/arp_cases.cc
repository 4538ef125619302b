// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// Two RDMA ports in one subnet; the second one is looked at.
Facts TwoPorts(const Fact<Ipv4Settings>& first, const Fact<Ipv4Settings>& second) {
  Facts host = WithSecond(GoodHost(), [](Port&) {});
  std::vector<Port> ports = *host.ports;
  const std::array<const Fact<Ipv4Settings>*, 2> settings{&first, &second};
  for (std::size_t i = 0; i < ports.size(); ++i) {
    Netdev netdev = *ports[i].netdev;
    netdev.ipv4 = *settings[i];
    ports[i].netdev = netdev;
    ports[i].subnets = std::vector<Subnet>{
        {.netdev = netdev.name,
         .own = {.address = "10.0.0.1", .prefix_length = 24},
         .shared_with = {
             {.netdev = i == 0 ? "dcb1" : "dcb0", .address = "10.0.0.9", .ipv4 = *settings[1 - i]}}}};
  }
  host.ports = ports;
  return host;
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

// The same two by IPv6.
Facts TwoInOneIpv6Subnet(Transport transport) {
  Facts host = TwoInOneSubnet();
  std::vector<Port> ports = *host.ports;
  for (Port& port : ports) {
    port.transport = transport;
    std::vector<Subnet> subnets = *port.subnets;
    subnets.front().own = {.address = "fd00::1", .prefix_length = 120};
    subnets.front().shared_with.front().address = "fd00::9";
    port.subnets = subnets;
  }
  host.ports = ports;
  return host;
}

Facts OnlyIpv6() {
  return WithSubnet([](Port&, Subnet& subnet) { subnet.own = {.address = "fd00::1", .prefix_length = 64}; });
}

std::vector<CheckCase> ArpSecurityRows() {
  const Profile fabric = VirtualFabricProfile();
  Profile unmarked = fabric;
  unmarked.tos.reset();
  unmarked.dscp.reset();
  Profile tenants = fabric;
  tenants.multi_tenant = true;
  const Ipv4Settings off;
  const Ipv4Settings on{.accept_local = true};
  return {DoesNotApply("ip.accept-local", "one port", GoodHost(), "no RDMA port before", {.profile = fabric}),
          DoesNotApply("ip.accept-local", "the first of two", TwoPorts(off, off), "no RDMA port before",
                       {.profile = fabric}),
          Fails("ip.accept-local", "the second of two", TwoPorts(off, off), "accept_local 0 on dcb1",
                {.fix = "sysctl -w net.ipv4.conf.dcb1.accept_local=1", .profile = fabric, .port = 1}),
          Fails("ip.accept-local", "off on the first", TwoPorts(off, on), "accept_local 0 on dcb0",
                {.profile = fabric, .port = 1}),
          Passes("ip.accept-local", "on", TwoPorts(on, on), "accept_local 1 on dcb1, dcb0",
                 {.profile = fabric, .port = 1}),
          DoesNotApply("ip.accept-local", "alone by IPv6", OnlyIpv6(), "no RDMA port before"),
          Fails("ip.accept-local", "by IPv6", TwoInOneIpv6Subnet(Transport::kRoce),
                "the subnet of fd00::1/120 is shared with dcb0 by IPv6 alone",
                {.fix = "ip address add ADDRESS dev dcb1", .port = 1}),
          DoesNotApply("ip.accept-local", "by IPv6, the first of two", TwoInOneIpv6Subnet(Transport::kRoce),
                       "no RDMA port before"),
          DoesNotApply("ip.accept-local", "iWARP by IPv6", TwoInOneIpv6Subnet(Transport::kIwarp),
                       "iWARP by IPv6", {.port = 1}),
          IsUnknown("ip.accept-local", "settings not readable", TwoPorts(on, Denied()),
                    "Operation not permitted", {.profile = fabric, .port = 1})};
}

std::vector<CheckCase> ArpIgnoreRows() {
  const Ipv4Settings bad;
  const Ipv4Settings one{.arp_ignore = 1};
  const Ipv4Settings two{.arp_ignore = 2};
  const Ipv4Settings none{.arp_ignore = 8};
  const Ipv4Settings filter{.arp_filter = true};
  return {
      Passes("arp.ignore", "alone in the subnet", GoodHost(), "arp_ignore 0: no other interface"),
      Passes("arp.ignore", "1 and 2", Sharing(one, two), "good everywhere"),
      Fails("arp.ignore", "the other one answers for all", Sharing(two, bad), "arp_ignore 0 on eth0",
            {.fix = "sysctl -w net.ipv4.conf.eth0.arp_ignore=2"}),
      Fails("arp.ignore", "both", Sharing(bad, bad),
            "in the subnet of 10.0.0.1/24 are dcb0, eth0: arp_ignore 0 on dcb0, 0 on eth0"),
      Fails("arp.ignore", "8 answers for nobody", Sharing(none, two), "arp_ignore 8 on dcb0"),
      Passes("arp.ignore", "arp_filter and routes that lead back", Sharing(filter, filter), "good everywhere"),
      Fails("arp.ignore", "arp_filter alone", Sharing(filter, filter, "eth0"), "arp_ignore 0 on dcb0"),
      Fails("arp.ignore", "on a VLAN", SharingOnVlan(bad, two), "arp_ignore 0 on dcb0.711",
            {.fix = "sysctl -w net.ipv4.conf.dcb0/711.arp_ignore=2"}),
      Passes("arp.ignore", "two ports, said once", TwoInOneSubnet(), "no other interface"),
      Fails("arp.ignore", "two ports, of the later one", TwoInOneSubnet(), "dcb1, dcb0", {.port = 1}),
      IsUnknown("arp.ignore", "own settings denied", Sharing(Denied(), two), "not permitted"),
      IsUnknown("arp.ignore", "the other's denied", Sharing(two, Denied()), "not permitted"),
      IsUnknown("arp.ignore", "subnets denied", SubnetsDenied(), "not permitted"),
      DoesNotApply("arp.ignore", "only IPv6", OnlyIpv6(), "no IPv4"),
      DoesNotApply("arp.ignore", "InfiniBand", PathsOnInfiniBand(), "LID"),
      Passes("arp.announce", "alone in the subnet", GoodHost(), "arp_announce 0: no other interface"),
      Passes("arp.announce", "2", Sharing(Ipv4Settings{.arp_announce = 2}, Ipv4Settings{.arp_announce = 2}),
             "good everywhere"),
      Fails("arp.announce", "1", Sharing(Ipv4Settings{.arp_announce = 1}, Ipv4Settings{.arp_announce = 2}),
            "arp_announce 1 on dcb0", {.fix = "sysctl -w net.ipv4.conf.dcb0.arp_announce=2"}),
      IsUnknown("arp.announce", "denied", SubnetsDenied(), "not permitted")};
}

std::vector<CheckCase> ArpRpFilterRows() {
  const Ipv4Settings off;
  const Ipv4Settings strict{.rp_filter = 1};
  const Ipv4Settings loose{.rp_filter = 2};
  const Facts strict_alone = WithNetdev([&](Netdev& netdev) { netdev.ipv4 = strict; });
  return {Passes("ip.rp-filter", "off", Sharing(off, off), "good everywhere"),
          Passes("ip.rp-filter", "loose", Sharing(loose, loose), "rp_filter 2"),
          Passes("ip.rp-filter", "strict, alone", strict_alone, "rp_filter 1: no other interface"),
          Fails("ip.rp-filter", "strict", Sharing(strict, loose), "rp_filter 1 on dcb0",
                {.fix = "sysctl -w net.ipv4.conf.dcb0.rp_filter=2"}),
          Fails("ip.rp-filter", "strict on the other", Sharing(off, strict), "rp_filter 1 on eth0"),
          IsUnknown("ip.rp-filter", "denied", SubnetsDenied(), "not permitted")};
}

}  // namespace

std::vector<CheckCase> ArpCases() { return Joined({ArpSecurityRows(), ArpIgnoreRows(), ArpRpFilterRows()}); }

}  // namespace rdmaready
