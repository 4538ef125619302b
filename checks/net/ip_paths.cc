// SPDX-License-Identifier: Apache-2.0
// ip.route-symmetric, ip.neighbor: by which way the host would reach its peers, and whether they answer.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kRouteSource = "rtnetlink GETROUTE";
constexpr std::string_view kNeighbourSource = "rtnetlink GETNEIGH";

// Who was asked for in vain longer ago may be back since: nobody asked again.
constexpr std::uint32_t kRecentlyS = 300;
constexpr std::size_t kMostNamed = 3;

std::string RouteNotApplicable(const PortView& view) {
  if (IsInfiniBand(view.port)) return "InfiniBand: a port is reached by its LID";
  const Fact<std::vector<Subnet>>& subnets = view.port.subnets;
  if (!subnets) return {};
  if (subnets->empty()) return "the port has no address that peers can use";
  const bool none = std::ranges::all_of(*subnets, [](const Subnet& one) { return NotOffered(one.route); });
  return none ? Cat("nobody to ask for: ", subnets->front().route.missing().detail) : "";
}

std::string WayText(const Subnet& subnet) {
  if (subnet.route->netdev.empty()) return "there is no route";
  return Cat("by ", subnet.route->netdev,
             subnet.route->gateway.empty() ? "" : Cat(" and ", subnet.route->gateway));
}

// "10.0.0.0/24" of 10.0.0.1/24.
std::string NetworkText(const IpAddress& ip) {
  for (const int family : {AF_INET, AF_INET6}) {
    std::array<std::uint8_t, 16> raw{};
    if (inet_pton(family, ip.address.c_str(), raw.data()) != 1) continue;
    for (std::size_t bit = ip.prefix_length; bit < raw.size() * 8; ++bit)
      raw[bit / 8] = static_cast<std::uint8_t>(raw[bit / 8] & ~(0x80U >> bit % 8));
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(family, raw.data(), text.data(), text.size());
    return Cat(text.data(), "/", ip.prefix_length);
  }
  return "SUBNET";
}

// A table of its own for what comes from the address: the rule stands before the main table.
std::string RouteFix(const Port& port, const Subnet& subnet) {
  constexpr std::uint32_t kFirstTable = 1000;
  std::uint32_t ifindex = port.netdev ? port.netdev->ifindex : 0;
  if (port.uppers) {
    const auto upper = std::ranges::find(*port.uppers, subnet.netdev, &UpperNetdev::name);
    if (upper != port.uppers->end()) ifindex = upper->ifindex;
  }
  const std::uint32_t table = kFirstTable + ifindex;
  const std::string ip = subnet.own.address.find(':') == std::string::npos ? "ip" : "ip -6";
  const std::string netdev = ShellWord(subnet.netdev);
  const std::string own = ShellWord(subnet.own.address);
  return Cat(ip, " route replace ", ShellWord(NetworkText(subnet.own)), " dev ", netdev, " src ", own,
             " table ", table, " && ", ip, " rule add from ", own, " table ", table,
             "  # for good: in the network configuration");
}

// "all", an address, or a prefix: does it hold the address?
bool Holds(const std::string& prefix, const std::string& address) {
  if (prefix == "all") return true;
  const std::size_t slash = prefix.find('/');
  if (slash == std::string::npos) return prefix == address;
  const int length = std::atoi(prefix.c_str() + slash + 1);
  if (length < 0 || length > 128) return false;
  const auto bits = static_cast<std::uint8_t>(length);
  return NetworkText({prefix.substr(0, slash), bits}) == NetworkText({address, bits});
}

// Could the rule be asked about what the host itself sends from the one to the other?
bool Concerns(const RoutingRule& rule, const Subnet& subnet) {
  std::istringstream words(rule.selector);
  std::string word;
  while (words >> word) {
    if (word == "not") return true;
    std::string value;
    if (word == "from" && words >> value && !Holds(value, subnet.own.address)) return false;
    if (word == "to" && words >> value && !Holds(value, subnet.probe)) return false;
    if (word == "iif" && words >> value && value != "lo") return false;
  }
  return true;
}

// Rules that may be why. Empty when there are none, or they are not known.
std::string RulesText(const Facts& host, const Subnet& subnet) {
  if (!host.routing_rules) return {};
  const bool ipv6 = subnet.own.address.find(':') != std::string::npos;
  std::string named;
  std::size_t count = 0;
  for (const RoutingRule& rule : *host.routing_rules) {
    if (rule.ipv6 != ipv6 || !Concerns(rule, subnet) || ++count > kMostNamed) continue;
    named += Cat(named.empty() ? "" : "; ", rule.priority, ": ", rule.selector, " ", rule.action);
  }
  if (count > kMostNamed) named += Cat(" and ", count - kMostNamed, " more");
  return named.empty() ? "" : Cat(" (rules: ", named, ")");
}

Verdict JudgeRoute(const PortView& view) {
  constexpr std::string_view kExpected = "by the interface that has the address";
  const Fact<std::vector<Subnet>>& subnets = view.port.subnets;
  if (!subnets) return NoAnswer(subnets.missing(), std::string(kExpected), kRouteSource);
  std::string good;
  for (const Subnet& subnet : *subnets) {
    if (NotOffered(subnet.route)) continue;
    if (!subnet.route) return NoAnswer(subnet.route.missing(), std::string(kExpected), kRouteSource);
    const std::string way = Cat("from ", subnet.own.address, " to ", subnet.probe, ": ", WayText(subnet));
    if (subnet.route->netdev != subnet.netdev) {
      return Judged(false, way + RulesText(view.host, subnet), Cat("by ", subnet.netdev), kRouteSource,
                    RouteFix(view.port, subnet));
    }
    if (good.empty()) good = way;
  }
  return Judged(true, good, std::string(kExpected), kRouteSource);
}

std::string NeighbourNotApplicable(const PortView& view) {
  return IsInfiniBand(view.port) ? "InfiniBand: a port is reached by its LID" : "";
}

Verdict JudgeNeighbour(const PortView& view) {
  constexpr std::string_view kExpected = "whoever was asked for lately answered";
  const Fact<std::vector<Neighbour>>& neighbours = view.port.neighbours;
  if (!neighbours) return NoAnswer(neighbours.missing(), std::string(kExpected), kNeighbourSource);
  std::string named;
  std::size_t failed = 0;
  std::size_t known = 0;
  std::string netdev;
  for (const Neighbour& one : *neighbours) {
    if (!one.mac.empty()) ++known;
    if (one.state != NeighbourState::kFailed || one.age_s > kRecentlyS) continue;
    if (++failed > kMostNamed) continue;
    if (netdev.empty()) netdev = one.netdev;
    named += Cat(named.empty() ? "" : ", ", one.address, " on ", one.netdev, " ", one.age_s, " s ago");
  }
  if (failed == 0) {
    return Judged(true, Cat(known, known == 1 ? " neighbour is known" : " neighbours are known"),
                  std::string(kExpected), kNeighbourSource);
  }
  if (failed > kMostNamed) named += Cat(" and ", failed - kMostNamed, " more");
  return Judged(false, Cat("asked for in vain: ", named), std::string(kExpected), kNeighbourSource,
                Cat("ip neighbour flush dev ", ShellWord(netdev),
                    " nud failed  # then ping it: no answer again means that the host is down, or not in this "
                    "VLAN"));
}

}  // namespace

Check IpRouteSymmetric() {
  return {
      .id = "ip.route-symmetric",
      .title = "What comes from the port's address leaves by the port",
      .why =
          "RDMA-CM takes the device that the route names, and drops requests that came by another: the wrong "
          "NIC, without its lossless class, or no connection",
      .fix = "ip route show dev {netdev}  # the subnet's route must lead here, for packets from the address",
      .depends_on = {"inv.netdev-mapping", "link.state", "ip.address"},
      .rule = Rule<PortView>{RouteNotApplicable, JudgeRoute}};
}

Check IpNeighbor() {
  return {.id = "ip.neighbor",
          .title = "Peers in the port's subnets answer when they are asked for",
          .why = "An address that nobody answers for cannot be connected to, by RDMA as little as by TCP",
          .fix = "ip neighbour show dev {netdev} nud failed  # those hosts are down, or not in this VLAN",
          .depends_on = {"inv.netdev-mapping", "link.state", "ip.address"},
          .rule = Rule<PortView>{NeighbourNotApplicable, JudgeNeighbour}};
}

}  // namespace rdmaready
