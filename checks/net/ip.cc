// SPDX-License-Identifier: Apache-2.0
// ip.*: by which addresses the port is reached, and whether packets leave by it.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "api/base/prefix_index.h"
#include "checks/families.h"
#include "checks/net/address_fix.h"
#include "checks/net/duplicate_fix.h"
#include "checks/words/addresses.h"
#include "checks/words/carrying_function.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kAddressesSource = "rtnetlink addresses";

Verdict JudgeIpUsable(const PortView& view) {
  if (HasOwnProtocol(view.port)) return NotApplicable("it has no interface, and is not reached by IP");
  if (IsInfiniBand(view.port)) return NotApplicable("InfiniBand: a port is reached by its LID");
  constexpr std::string_view kExpected = "an IP address";
  const Port& port = view.port;
  if (const Fact<bool> own = OwnProtocolOf(port); !own)
    return NoAnswer(own.missing(), kExpected, kAddressesSource);
  std::string observed;
  for (const PlacedAddress& placed : AddressesOf(port)) {
    observed += Cat(observed.empty() ? "" : ", ", placed.ip.address, "/", placed.ip.prefix_length);
    if (placed.upper != nullptr) observed += Cat(" on ", placed.netdev);
  }
  if (!observed.empty()) return Judged(true, observed, kExpected, kAddressesSource);
  if (!AddressesKnown(port)) return NoAnswer(WhyAddressesUnknown(port), kExpected, kAddressesSource);
  if (port.netdev && !port.uppers) return NoAnswer(port.uppers.missing(), kExpected, kAddressesSource);
  if (auto carried = CarriedElsewhere(view.host, port, kExpected, kAddressesSource)) return *carried;
  return Judged(false, "no address but link-local ones", kExpected, kAddressesSource, AddressFix(view));
}

// Every address of the host's ports, port by port.
class HostAddresses {
 public:
  explicit HostAddresses(const std::vector<Port>& ports) {
    PrefixLengths lengths;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      of_port_.push_back(AddressesOf(ports[i]));
      first_place_.push_back(owner_.size());
      owner_.resize(owner_.size() + of_port_.back().size(), i);
      for (const PlacedAddress& placed : of_port_.back()) parsed_.push_back(Parsed(placed.ip));
      twin_.push_back(first_of_name_.emplace(PortName(ports[i]), i).first->second);
    }
    for (const ParsedAddress& address : parsed_) lengths.Add(address);
    index_.emplace(Agree::kInShorterPrefix, lengths);
    for (std::size_t place = 0; place < parsed_.size(); ++place) index_->Add(parsed_[place], NetdevAt(place));
  }

  const std::vector<PlacedAddress>& Of(std::size_t port) const { return of_port_[port]; }

  struct Clash {
    std::size_t other = 0;  // the port
    const PlacedAddress* ours = nullptr;
  };

  // The first port before this one that has an address in a subnet of this one's. Only those before it are
  // looked at, so that two ports in one subnet are one finding. A bond or bridge over both has one address
  // for both.
  std::optional<Clash> Before(std::size_t port) const {
    std::optional<Clash> clash;
    std::size_t nearest = first_place_[twin_[port]];
    for (std::size_t k = 0; k < of_port_[port].size(); ++k) {
      const std::size_t own = first_place_[port] + k;
      const std::optional<std::size_t> theirs = index_->First(parsed_[own], NetdevAt(own));
      if (!theirs || *theirs >= nearest) continue;
      nearest = *theirs;
      clash = Clash{owner_[*theirs], &of_port_[port][k]};
    }
    return clash;
  }

 private:
  const std::string& NetdevAt(std::size_t place) const {
    const std::size_t port = owner_[place];
    return of_port_[port][place - first_place_[port]].netdev;
  }

  std::vector<std::vector<PlacedAddress>> of_port_{};
  std::vector<std::size_t> first_place_{};              // by port: of its addresses among all
  std::vector<std::size_t> owner_{};                    // by place: the port
  std::vector<ParsedAddress> parsed_{};                 // by place
  std::map<std::string, std::size_t> first_of_name_{};  // the first port of each name
  std::vector<std::size_t> twin_{};                     // by port: the first port of its name
  std::optional<PrefixIndex> index_{};
};

Verdict JudgeSubnet(const std::vector<Port>& ports, std::size_t i, const HostAddresses& addresses) {
  if (IsInfiniBand(ports[i])) return NotApplicable("InfiniBand: a port is reached by its LID");
  if (ports.size() < 2) return NotApplicable("fewer than two RDMA ports: there is nothing to compare");
  constexpr std::string_view kExpected = "a subnet of its own";
  if (!AddressesKnown(ports[i])) return NoAnswer(WhyAddressesUnknown(ports[i]), kExpected, kAddressesSource);
  if (addresses.Of(i).empty()) return Unclear("no address to compare", kExpected, kAddressesSource);
  const std::optional<HostAddresses::Clash> clash = addresses.Before(i);
  for (std::size_t other = 0; !clash && other < i; ++other) {
    if (!AddressesKnown(ports[other]))
      return NoAnswer(WhyAddressesUnknown(ports[other]), kExpected, kAddressesSource);
  }
  const IpAddress& shown = clash ? clash->ours->ip : addresses.Of(i).front().ip;
  std::string observed = Cat(shown.address, "/", shown.prefix_length);
  if (clash) observed += Cat(" is in the subnet of ", PortName(ports[clash->other]));
  return Judged(!clash, std::move(observed), kExpected, kAddressesSource);
}

// ---- ip.duplicate ----

struct Twin {
  std::string netdev{};
  const PlacedAddress* ours = nullptr;
};

// By address, the netdevs that have it: of the ports and of what shares a subnet with them. One netdev above
// several ports is one.
class Holders {
 public:
  Holders(const std::vector<Port>& ports, const HostAddresses& addresses) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      for (const PlacedAddress& placed : addresses.Of(i)) netdevs_[placed.ip.address].insert(placed.netdev);
      if (!ports[i].subnets) continue;
      for (const Subnet& subnet : *ports[i].subnets) {
        for (const SubnetSharer& sharer : subnet.shared_with) netdevs_[sharer.address].insert(sharer.netdev);
      }
    }
  }

  std::optional<Twin> Of(const std::vector<PlacedAddress>& of_port) const {
    for (const PlacedAddress& ours : of_port) {
      for (const std::string& netdev : netdevs_.at(ours.ip.address)) {
        if (netdev != ours.netdev) return Twin{netdev, &ours};
      }
    }
    return std::nullopt;
  }

 private:
  std::map<std::string, std::set<std::string>> netdevs_{};
};

Verdict JudgeDuplicate(const HostView& view, std::size_t i, const HostAddresses& addresses,
                       const Holders& holders) {
  const Port& port = (*view.host.ports)[i];
  if (IsInfiniBand(port)) return NotApplicable("InfiniBand: a port is reached by its LID");
  constexpr std::string_view kExpected = "each address on one interface of the host";
  if (const std::optional<Twin> twin = holders.Of(addresses.Of(i))) {
    const std::string observed =
        Cat(twin->ours->ip.address, " is on ", twin->ours->netdev, " and on ", twin->netdev);
    const bool by_routing = twin->ours->ip.prefix_length == 32 || twin->ours->ip.prefix_length == 128;
    const Fix fix = DuplicateFix(view.host, *twin->ours, twin->netdev, by_routing);
    return by_routing ? Warned(observed, kExpected, kAddressesSource, fix)
                      : Judged(false, observed, kExpected, kAddressesSource, fix);
  }
  for (const Port& one : *view.host.ports) {
    if (!AddressesKnown(one)) return NoAnswer(WhyAddressesUnknown(one), kExpected, kAddressesSource);
  }
  if (!port.subnets) return NoAnswer(port.subnets.missing(), kExpected, kAddressesSource);
  return Judged(true, "none of its addresses is on another interface", kExpected, kAddressesSource);
}

std::vector<Verdict> JudgeIpDuplicate(const HostView& view) {
  std::vector<Verdict> verdicts;
  if (!view.host.ports) return verdicts;
  const HostAddresses addresses(*view.host.ports);
  const Holders holders(*view.host.ports, addresses);
  for (std::size_t i = 0; i < view.host.ports->size(); ++i)
    verdicts.push_back(JudgeDuplicate(view, i, addresses, holders));
  return verdicts;
}

std::vector<Verdict> JudgeIpSubnets(const HostView& view) {
  std::vector<Verdict> verdicts;
  if (!view.host.ports) return verdicts;
  const HostAddresses addresses(*view.host.ports);
  for (std::size_t i = 0; i < view.host.ports->size(); ++i)
    verdicts.push_back(JudgeSubnet(*view.host.ports, i, addresses));
  return verdicts;
}

constexpr std::string_view kRouteSource = "rtnetlink GETROUTE";
constexpr std::string_view kNeighbourSource = "rtnetlink GETNEIGH";

// A host that was asked for without success longer ago may be back since: nobody asked again.
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

// A table of its own for what comes from the address: the rule stands before the main table.
Fix RouteFix(const Port& port, const Subnet& subnet) {
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
  return Fix(Cat(ip, " route replace ", ShellWord(SubnetOf(subnet.own)), " dev ", netdev, " src ", own,
                 " table ", table, " && ", ip, " rule add from ", own, " table ", table))
      .Do("for good: in the network configuration")
      .CheckBy(Cat(ip, " route get ", ShellWord(subnet.probe), " from ", own));
}

// "all", an address, or a prefix: does it hold the address?
bool Holds(const std::string& prefix, const std::string& address) {
  if (prefix == "all") return true;
  const std::size_t slash = prefix.find('/');
  if (slash == std::string::npos) return prefix == address;
  const int length = std::atoi(prefix.c_str() + slash + 1);
  if (length < 0 || length > 128) return false;
  const auto bits = static_cast<std::uint8_t>(length);
  const std::string subnet = SubnetOf({prefix.substr(0, slash), bits});
  return !subnet.empty() && subnet == SubnetOf({address, bits});
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

// By another RDMA port of the host: the wrong one, but RDMA all the same.
bool LeavesByRdma(const PortView& view, const Subnet& subnet) {
  if (!view.host.ports) return false;
  return std::ranges::any_of(*view.host.ports, [&subnet](const Port& port) {
    const bool upper = port.uppers && std::ranges::find(*port.uppers, subnet.route->netdev,
                                                        &UpperNetdev::name) != port.uppers->end();
    return upper || (port.netdev && port.netdev->name == subnet.route->netdev);
  });
}

Verdict JudgeIpRouteSymmetric(const PortView& view) {
  if (std::string reason = RouteNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "by the interface that has the address";
  const Fact<std::vector<Subnet>>& subnets = view.port.subnets;
  if (!subnets) return NoAnswer(subnets.missing(), kExpected, kRouteSource);
  std::string good;
  for (const Subnet& subnet : *subnets) {
    if (NotOffered(subnet.route)) continue;
    if (!subnet.route) return NoAnswer(subnet.route.missing(), kExpected, kRouteSource);
    const std::string way = Cat("from ", subnet.own.address, " to ", subnet.probe, ": ", WayText(subnet));
    if (subnet.route->netdev != subnet.netdev && LeavesByRdma(view, subnet)) {
      return Warned(way + RulesText(view.host, subnet), Cat("by ", subnet.netdev), kRouteSource,
                    RouteFix(view.port, subnet));
    }
    if (subnet.route->netdev != subnet.netdev) {
      if (const Missing* gap = UnknownNetdev(view.host)) return NoAnswer(*gap, kExpected, kRouteSource);
      return Judged(false, way + RulesText(view.host, subnet), Cat("by ", subnet.netdev), kRouteSource,
                    RouteFix(view.port, subnet));
    }
    if (good.empty()) good = way;
  }
  return Judged(true, good, kExpected, kRouteSource);
}

Fix NeighbourFix(const std::string& netdev, const std::string& address) {
  const std::string word = ShellWord(netdev);
  return Fix(Cat("ip neighbour flush dev ", word, " nud failed"))
      .Because("the host is down, or not in this VLAN")
      .Do("where it gives no answer again, let the switch port of that host carry the VLAN", StepSite::kSwitch)
      .CheckBy(Cat("ping -c 3 -I ", word, " ", ShellWord(address)));
}

Verdict JudgeIpNeighbor(const PortView& view) {
  if (IsInfiniBand(view.port)) return NotApplicable("InfiniBand: a port is reached by its LID");
  constexpr std::string_view kExpected = "whoever was asked for lately answered";
  const Fact<std::vector<Neighbour>>& neighbours = view.port.neighbours;
  if (!neighbours) return NoAnswer(neighbours.missing(), kExpected, kNeighbourSource);
  std::string named;
  std::size_t failed = 0;
  std::size_t known = 0;
  std::string netdev;
  std::string first;
  for (const Neighbour& one : *neighbours) {
    if (!one.mac.empty()) ++known;
    if (one.state != NeighbourState::kFailed || one.age_s > kRecentlyS) continue;
    if (++failed > kMostNamed) continue;
    if (netdev.empty()) {
      netdev = one.netdev;
      first = one.address;
    }
    named += Cat(named.empty() ? "" : ", ", one.address, " on ", one.netdev, " ", one.age_s, " s ago");
  }
  if (failed == 0) {
    return Judged(true, Cat(known, known == 1 ? " neighbour is known" : " neighbours are known"), kExpected,
                  kNeighbourSource);
  }
  if (failed > kMostNamed) named += Cat(" and ", failed - kMostNamed, " more");
  return Judged(false, Cat("asked for in vain: ", named), kExpected, kNeighbourSource,
                NeighbourFix(netdev, first));
}

}  // namespace

std::vector<Check> IpChecks() {
  return {
      {.id = "ip.address",
       .title = "The port has an IP address that peers can use",
       .why = "RDMA connections are made by IP address, also where no IP packet is sent",
       .fix = AddressFix(),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.netdev-mapping", "link.state"},
       .in_summary = 1,
       .judge = JudgeIpUsable},
      {.id = "ip.duplicate",
       .title = "No address of the port is on another interface of the host",
       .why = "The kernel takes that without a word: RDMA-CM binds to one of the two, and a peer may reach the "
              "other",
       .fix = Fix("ip address show dev {netdev}")
                  .Do("give each interface addresses of its own")
                  .CheckBy("ip -brief address"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.netdev-mapping", "ip.address"},
       .judge = JudgeIpDuplicate},
      {.id = "ip.subnets",
       .title = "Every RDMA port has a subnet of its own",
       .why =
           "With two ports in one subnet the kernel answers for one on the other, and traffic crosses between "
           "the switches",
       .fix = Fix("ip address show dev {netdev}")
                  .Do("move the port to a subnet and VLAN of its own, the same ones on every host; connections "
                      "that use the old address end")
                  .Do("let the switch port carry that VLAN", StepSite::kSwitch)
                  .CheckBy("ip -brief address"),
       .depends_on = {"inv.netdev-mapping", "ip.address", "ip.duplicate"},
       .judge = JudgeIpSubnets},
      {.id = "ip.route-symmetric",
       .title = "What comes from the port's address leaves by the port",
       .why =
           "RDMA-CM takes the device that the route names, and drops requests that came by another: the wrong "
           "NIC, without its lossless class, or no connection",
       .fix = Fix("ip route show dev {netdev}")
                  .Because("the routing table does not look at the address from which a packet comes")
                  .Do("add a rule and a table by which packets from the address leave here")
                  .Or("move the port to a subnet of its own: then the main table is enough"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.netdev-mapping", "link.state", "ip.address"},
       .judge = JudgeIpRouteSymmetric},
      {.id = "ip.neighbor",
       .title = "Peers in the port's subnets answer when they are asked for",
       .why = "An address that nobody answers for cannot be connected to, by RDMA as little as by TCP",
       .fix = Fix("ip neighbour show dev {netdev} nud failed")
                  .Because("those hosts are down, or not in this VLAN")
                  .Do("let the switch ports of those hosts carry the VLAN", StepSite::kSwitch)
                  .CheckBy("ip neighbour show dev {netdev}"),
       .depends_on = {"inv.netdev-mapping", "link.state", "ip.address"},
       .judge = JudgeIpNeighbor},
  };
}

}  // namespace rdmaready
