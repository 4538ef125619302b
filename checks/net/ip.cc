// SPDX-License-Identifier: Apache-2.0
// ip.*: by which addresses the port is reached.
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "api/base/prefix_index.h"
#include "checks/families.h"
#include "checks/words/addresses.h"
#include "checks/words/unclear.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "rtnetlink addresses";

std::string AddressNotApplicable(const PortView& view) {
  return IsInfiniBand(view.port) ? "InfiniBand: a port is reached by its LID" : "";
}

Verdict JudgeAddress(const PortView& view) {
  constexpr std::string_view kExpected = "an IP address";
  const Port& port = view.port;
  std::string observed;
  for (const PlacedAddress& placed : AddressesOf(port)) {
    observed += Cat(observed.empty() ? "" : ", ", placed.ip.address, "/", placed.ip.prefix_length);
    if (placed.upper != nullptr) observed += Cat(" on ", placed.netdev);
  }
  if (!observed.empty()) return Judged(true, observed, std::string(kExpected), kSource);
  if (!AddressesKnown(port)) return NoAnswer(WhyAddressesUnknown(port), std::string(kExpected), kSource);
  if (port.netdev && !port.uppers) return NoAnswer(port.uppers.missing(), std::string(kExpected), kSource);
  return Judged(false, "no address but link-local ones", std::string(kExpected), kSource);
}

std::string SubnetsNotApplicable(const PortView& view) {
  if (IsInfiniBand(view.port)) return "InfiniBand: a port is reached by its LID";
  return view.host.ports && view.host.ports->size() < 2
             ? "fewer than two RDMA ports: there is nothing to compare"
             : "";
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
  // looked at, so that two ports in one subnet are one finding. A bond or bridge over both has one address for
  // both.
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
  constexpr std::string_view kExpected = "a subnet of its own";
  if (!AddressesKnown(ports[i]))
    return NoAnswer(WhyAddressesUnknown(ports[i]), std::string(kExpected), kSource);
  if (addresses.Of(i).empty()) return Unclear("no address to compare", std::string(kExpected), kSource);
  const std::optional<HostAddresses::Clash> clash = addresses.Before(i);
  const IpAddress& shown = clash ? clash->ours->ip : addresses.Of(i).front().ip;
  std::string observed = Cat(shown.address, "/", shown.prefix_length);
  if (clash) observed += Cat(" is in the subnet of ", PortName(ports[clash->other]));
  return Judged(!clash, std::move(observed), std::string(kExpected), kSource);
}

std::vector<Verdict> JudgeSubnets(const HostView& view) {
  std::vector<Verdict> verdicts;
  if (!view.host.ports) return verdicts;
  const HostAddresses addresses(*view.host.ports);
  for (std::size_t i = 0; i < view.host.ports->size(); ++i)
    verdicts.push_back(JudgeSubnet(*view.host.ports, i, addresses));
  return verdicts;
}

}  // namespace

Check IpUsable() {
  return {.id = "ip.address",
          .title = "The port has an IP address that peers can use",
          .why = "RDMA connections are made by IP address, also where no IP packet is sent",
          .fix =
              "ip address add ADDRESS dev {netdev}  # ADDRESS: this host's in the storage network, like "
              "10.0.0.1/24",
          .blocks_for = &kDemandsRdma,
          .depends_on = {"inv.netdev-mapping", "link.state"},
          .rule = Rule<PortView>{AddressNotApplicable, JudgeAddress}};
}

Check IpSubnets() {
  return {
      .id = "ip.subnets",
      .title = "Every RDMA port has a subnet of its own",
      .why =
          "With two ports in one subnet the kernel answers for one on the other, and traffic crosses between "
          "the switches",
      .fix =
          "ip address show dev {netdev}  # move it to a subnet and VLAN of its own, the same ones on every "
          "host",
      .depends_on = {"inv.netdev-mapping", "ip.address"},
      .rule = AmongPorts{SubnetsNotApplicable, JudgeSubnets}};
}

}  // namespace rdmaready
