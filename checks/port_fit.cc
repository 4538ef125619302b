// SPDX-License-Identifier: Apache-2.0
#include "checks/port_fit.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/name_pattern.h"
#include "api/base/number.h"
#include "checks/words/addresses.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Answer = PortFit::Answer;
using Selector = Profile::PortSelector;

constexpr PortFit Known(bool fits) { return {.answer = fits ? Answer::kYes : Answer::kNo}; }

// One fits, or else it is not known of one, or else none does.
template <class List, class FitOfOne>
PortFit AnyOf(const List& list, const FitOfOne& fit_of_one) {
  PortFit best = Known(false);
  for (const auto& one : list) {
    PortFit fit = fit_of_one(one);
    if (fit.answer == Answer::kYes) return fit;
    if (fit.answer == Answer::kUnknown) best = std::move(fit);
  }
  return best;
}

template <class T>
PortFit Gap(const Fact<T>& fact, std::string what) {
  if (fact.missing().kind == Missing::Kind::kUnsupported) return Known(false);
  return {.unknown = std::move(what)};
}

PortFit ByDevice(const Port& port, const Selector& wanted) {
  return Known(MatchesPattern(wanted.device, port.device) || MatchesPattern(wanted.device, PortName(port)));
}

// Of the port's netdev, of those below it, or of those above: whatever `fit_of_one` says of them.
template <class FitOfNetdev, class FitOfUpper>
PortFit InStack(const Port& port, const FitOfNetdev& of_netdev, const FitOfUpper& of_upper) {
  if (!port.netdev) return Gap(port.netdev, "its netdev");
  std::vector<PortFit> fits{of_netdev(*port.netdev)};
  fits.push_back(port.lowers ? AnyOf(*port.lowers, of_netdev) : Gap(port.lowers, "what its netdev stands on"));
  fits.push_back(port.uppers ? AnyOf(*port.uppers, of_upper) : Gap(port.uppers, "what stands on its netdev"));
  return AnyOf(fits, [](const PortFit& fit) { return fit; });
}

PortFit ByNetdev(const Port& port, const Selector& wanted) {
  const auto fits = [&wanted](const auto& netdev) { return Known(MatchesPattern(wanted.netdev, netdev.name)); };
  return InStack(port, fits, fits);
}

// A software netdev has its kind where hardware has a driver.
PortFit ByDriver(const Port& port, const Selector& wanted) {
  return InStack(
      port,
      [&wanted](const Netdev& netdev) {
        return Known(netdev.driver == wanted.driver ||
                     (netdev.driver_info && netdev.driver_info->driver == wanted.driver));
      },
      [](const UpperNetdev&) { return Known(false); });
}

PortFit ByPci(const Port& port, const Selector& wanted) {
  if (!port.pci) return Gap(port.pci, "its PCI address");
  return Known(MatchesPattern(wanted.pci, port.pci->address));
}

PortFit ByTransport(const Port& port, const Selector& wanted) {
  if (!port.transport) return Gap(port.transport, "its transport");
  switch (wanted.transport) {
    case Profile::Transport::kAny:
      return Known(true);
    case Profile::Transport::kRoceV2:
      return Known(*port.transport == Transport::kRoce);
    case Profile::Transport::kIwarp:
      return Known(*port.transport == Transport::kIwarp);
    case Profile::Transport::kInfiniBand:
      return Known(*port.transport == Transport::kInfiniBand);
  }
  return {.unknown = "its transport"};
}

// The address with the length of the prefix; nothing for what is no subnet.
std::optional<ParsedAddress> ParseSubnet(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto bits = ParseNumber<unsigned>(text.substr(slash + 1));
  return bits ? ParseAddress(std::string(text.substr(0, slash)), *bits) : std::nullopt;
}

PortFit BySubnet(const Port& port, const Selector& wanted) {
  const std::optional<ParsedAddress> subnet = ParseSubnet(wanted.subnet);
  if (!subnet) return Known(false);
  for (const PlacedAddress& placed : AddressesOf(port)) {
    const ParsedAddress address = Parsed(placed.ip);
    const bool same = address.is_ipv4 == subnet->is_ipv4;
    if (same && PrefixOf(address, subnet->prefix_bits) == PrefixOf(*subnet, subnet->prefix_bits))
      return Known(true);
  }
  const bool all_known = AddressesKnown(port) && (!port.netdev || port.uppers);
  return all_known ? Known(false) : PortFit{.unknown = "its addresses"};
}

PortFit ByVlan(const Port& port, const Selector& wanted) {
  const auto fits = [&wanted](const auto& netdev) {
    if (netdev.vlan_id) return Known(*netdev.vlan_id == wanted.vlan);
    return Gap(netdev.vlan_id, Cat("the VLAN of ", netdev.name));
  };
  return InStack(port, fits, fits);
}

// All that the selector says: one thing that is not true settles it.
PortFit FitOfSelector(const Port& port, const Selector& wanted) {
  struct Row {
    bool asked = false;
    PortFit (*fit)(const Port&, const Selector&) = nullptr;
  };
  const Row rows[] = {{!wanted.device.empty(), ByDevice},
                      {!wanted.netdev.empty(), ByNetdev},
                      {!wanted.driver.empty(), ByDriver},
                      {!wanted.pci.empty(), ByPci},
                      {wanted.transport != Profile::Transport::kAny, ByTransport},
                      {!wanted.subnet.empty(), BySubnet},
                      {wanted.vlan.has_value(), ByVlan}};
  PortFit all = Known(true);
  for (const Row& row : rows) {
    if (!row.asked) continue;
    PortFit fit = row.fit(port, wanted);
    if (fit.answer == Answer::kNo) return fit;
    if (fit.answer == Answer::kUnknown) all = std::move(fit);
  }
  return all;
}

}  // namespace

PortFit FitOf(const Port& port, const Profile& profile) {
  if (profile.ports.empty()) return Known(true);
  return AnyOf(profile.ports, [&port](const Selector& wanted) { return FitOfSelector(port, wanted); });
}

bool IsNamed(const Port& port, const std::string& name) {
  return name == port.device || name == PortName(port) || (port.netdev && name == port.netdev->name);
}

}  // namespace rdmaready
