// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

std::vector<CheckCase> IpItselfRows() {
  const auto in_subnet = [](const char* address) {
    return WithSecond(GoodHost(), [address](Port& port) {
      Netdev netdev = *port.netdev;
      netdev.addresses = std::vector<IpAddress>{{.address = address, .prefix_length = 24}};
      port.netdev = netdev;
    });
  };
  const Facts second_denied = WithSecond(GoodHost(), [](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses = Denied();
    port.netdev = netdev;
  });
  Facts first_denied = in_subnet("10.0.1.9");
  std::vector<Port> ports = *first_denied.ports;
  Netdev hidden = *ports.front().netdev;
  hidden.addresses = Denied();
  ports.front().netdev = hidden;
  first_denied.ports = ports;
  const auto shared = [](const char* address) {
    return WithSubnet([address](Port&, Subnet& subnet) {
      subnet.shared_with = {{.netdev = "eth0", .address = address, .ipv4 = Ipv4Settings{}}};
    });
  };
  const auto led_by = [](Facts host, const char* netdev) {
    host.default_routes = std::vector<std::string>{netdev};
    return host;
  };
  const auto changed = [](Facts host, auto change) {
    std::vector<Port> all = *host.ports;
    change(all.front());
    host.ports = all;
    return host;
  };
  const auto unread = [&](const Facts& host) {
    return changed(host, [](Port& port) { port.uppers = Denied(); });
  };
  const auto host_route = [&](const Facts& host) {
    return changed(host, [](Port& port) {
      Netdev netdev = *port.netdev;
      std::vector<IpAddress> addresses = *netdev.addresses;
      addresses.front().prefix_length = 32;
      netdev.addresses = addresses;
      port.netdev = netdev;
    });
  };
  return {
      Passes("ip.address", "good", GoodHost(), "10.0.0.1/24"),
      Passes("ip.address", "on a VLAN", OnVlan(), "10.0.0.1/24 on dcb0.711"),
      Fails("ip.address", "link-local only", WithoutAddress(), "link-local",
            {.fix = "ip address add ADDRESS dev dcb0"}),
      IsUnknown("ip.address", "denied", AddressesDenied(), "not permitted"),
      IsUnknown("ip.address", "of a VLAN denied", UppersDenied(), "not permitted"),
      IsUnknown("ip.address", "none, and what stands on it not known", WithPort([](Port& port) {
                  Netdev netdev = *port.netdev;
                  netdev.addresses = std::vector<IpAddress>{};
                  port.netdev = netdev;
                  port.uppers = Denied();
                }),
                "not permitted"),
      DoesNotApply("ip.address", "InfiniBand",
                   WithPort([](Port& port) { port.transport = Transport::kInfiniBand; }), "LID"),
      Passes("ip.subnets", "two subnets", in_subnet("10.0.1.9"), "10.0.1.9/24", {.port = 1}),
      Fails("ip.subnets", "one subnet", in_subnet("10.0.0.9"), "10.0.0.9/24 is in the subnet of rxe0/1",
            {.fix = "ip address show dev dcb1", .port = 1}),
      Passes("ip.subnets", "one subnet, said once", in_subnet("10.0.0.9"), "10.0.0.1/24"),
      Passes("ip.subnets", "IPv6 beside IPv4", in_subnet("fd00::9"), "fd00::9/24", {.port = 1}),
      IsUnknown("ip.subnets", "denied", second_denied, "not permitted", {.port = 1}),
      IsUnknown("ip.subnets", "those of the other port denied", first_denied, "not permitted", {.port = 1}),
      DoesNotApply("ip.subnets", "one port", GoodHost(), "nothing to compare"),
      Passes("ip.duplicate", "one port", GoodHost(), "none of its addresses"),
      Passes("ip.duplicate", "two ports", in_subnet("10.0.1.9"), "none of its addresses"),
      Fails("ip.duplicate", "on two ports", in_subnet("10.0.0.1"), "10.0.0.1 is on dcb0 and on dcb1",
            {.fix = "decide which of dcb0 and dcb1 keeps 10.0.0.1"}),
      Fails("ip.duplicate", "on two ports, seen from the second", in_subnet("10.0.0.1"),
            "10.0.0.1 is on dcb1 and on dcb0", {.fix = "decide which of dcb1 and dcb0", .port = 1}),
      Fails("ip.duplicate", "on an interface that may carry RDMA", unread(shared("10.0.0.1")),
            "10.0.0.1 is on dcb0 and on eth0", {.fix = "decide which of dcb0 and eth0"}),
      Warns("ip.duplicate", "of a host route on an interface without RDMA", host_route(shared("10.0.0.1")),
            "10.0.0.1 is on dcb0 and on eth0", {.fix = "ask whether a routing protocol has 10.0.0.1 on both"}),
      Fails("ip.duplicate", "on an interface without RDMA", led_by(shared("10.0.0.1"), "eth9"),
            "10.0.0.1 is on dcb0 and on eth0", {.fix = "ip address flush dev eth0 to 10.0.0.1"}),
      Fails("ip.duplicate", "on the interface of the default route", led_by(shared("10.0.0.1"), "eth0"),
            "10.0.0.1 is on dcb0 and on eth0", {.fix = "decide which of dcb0 and eth0 keeps 10.0.0.1"}),
      Passes("ip.duplicate", "another address of the subnet there", shared("10.0.0.7"),
             "none of its addresses"),
      IsUnknown("ip.duplicate", "denied", second_denied, "not permitted"),
      DoesNotApply("ip.duplicate", "InfiniBand", PathsOnInfiniBand(), "LID")};
}

std::vector<CheckCase> IpRouteRows() {
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
  return {
      Passes("ip.route-symmetric", "good", GoodHost(), "from 10.0.0.1 to 10.0.0.2: by dcb0"),
      Fails("ip.route-symmetric", "another interface", route(IpRoute{.netdev = "eth0"}),
            "from 10.0.0.1 to 10.0.0.2: by eth0",
            {.fix = "ip route replace 10.0.0.0/24 dev dcb0 src 10.0.0.1 table 1003 && ip rule add from "
                    "10.0.0.1 table "
                    "1003"}),
      Fails("ip.route-symmetric", "another interface by a rule", ruled,
            "by eth0 (rules: 100: from 10.0.0.0/24 lookup 1000)"),
      Warns("ip.route-symmetric", "another RDMA port",
            WithSecond(route(IpRoute{.netdev = "dcb1"}), [](Port&) {}), "from 10.0.0.1 to 10.0.0.2: by dcb1"),
      Fails("ip.route-symmetric", "no route", route(IpRoute{}), "there is no route"),
      Fails(
          "ip.route-symmetric", "IPv6, by a router", six, "by eth0 and fd00::ff",
          {.fix =
               "ip -6 route replace fd00::/64 dev dcb0 src fd00::1 table 1003 && ip -6 rule add from fd00::1"}),
      IsUnknown("ip.route-symmetric", "denied", route(Denied()), "not permitted"),
      IsUnknown("ip.route-symmetric", "subnets denied", SubnetsDenied(), "not permitted"),
      DoesNotApply("ip.route-symmetric", "nobody else", route(single), "no other address"),
      DoesNotApply("ip.route-symmetric", "no address",
                   WithPort([](Port& port) { port.subnets = std::vector<Subnet>{}; }), "no address"),
      DoesNotApply("ip.route-symmetric", "InfiniBand", PathsOnInfiniBand(), "LID")};
}

std::vector<CheckCase> IpNeighbourRows() {
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
  return {
      Passes("ip.neighbor", "good", GoodHost(), "1 neighbour is known"),
      Passes("ip.neighbor", "none", WithPort([](Port& port) { port.neighbours = std::vector<Neighbour>{}; }),
             "0 neighbours are known"),
      Fails("ip.neighbor", "one failed", failed(1, 12), "asked for in vain: 10.0.0.70 on dcb0 12 s ago",
            {.fix = "ip neighbour flush dev dcb0 nud failed"}),
      Fails("ip.neighbor", "many failed", failed(5, 12), "10.0.0.72 on dcb0 12 s ago and 2 more"),
      Passes("ip.neighbor", "failed long ago", failed(1, 301), "1 neighbour is known"),
      IsUnknown("ip.neighbor", "denied", WithPort([](Port& port) { port.neighbours = Denied(); }),
                "not permitted"),
      DoesNotApply("ip.neighbor", "InfiniBand", PathsOnInfiniBand(), "LID")};
}

}  // namespace

std::vector<CheckCase> IpCases() { return Joined({IpItselfRows(), IpRouteRows(), IpNeighbourRows()}); }

}  // namespace rdmaready
