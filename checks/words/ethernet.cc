// SPDX-License-Identifier: Apache-2.0
#include "checks/words/ethernet.h"

#include <algorithm>
#include <array>

#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kOn = " > ";

// Link kinds that stand on other netdevs. None of them has DCB of its own.
bool StandsOnOthers(const Netdev& netdev) {
  constexpr std::array<std::string_view, 7> kKinds{"vlan",    "bond",   "team", "bridge",
                                                   "macvlan", "ipvlan", "vxlan"};
  return std::ranges::find(kKinds, netdev.driver) != kKinds.end();
}

// It is not known whether others share the RDMA device: in a bond it may be so.
bool MayShare(const Port& port) {
  if (port.netdev->master.empty() || port.lowers) return false;
  if (!port.uppers) return true;
  const auto master = std::ranges::find(*port.uppers, port.netdev->master, &UpperNetdev::name);
  return master == port.uppers->end() || master->kind == "bond" || master->kind == "team";
}

}  // namespace

std::vector<NetdevRef> EthernetPortsOf(const Port& port) {
  if (!port.netdev) return {port.netdev};
  if (MayShare(port) && !IsSoftware(port)) return {port.netdev, NetdevRef(port.lowers.missing())};
  // A device whose lower devices are unknown may still be known to have none.
  if (!port.lowers && StandsOnOthers(*port.netdev)) return {NetdevRef(port.lowers.missing())};
  if (!port.lowers || port.lowers->empty()) return {port.netdev};
  std::vector<NetdevRef> lowers;
  for (const Netdev& lower : *port.lowers) lowers.emplace_back(lower);
  return lowers;
}

std::string SubjectOf(const Port& port, NetdevRef ethernet) {
  std::string subject = SubjectOf(port);
  const bool below = port.netdev && ethernet && (SharesDevice(port) || ethernet->name != port.netdev->name);
  if (below) subject += Cat(kOn, Printable(ethernet->name));
  return subject;
}

std::string StackText(const Port& port) {
  std::string text;
  if (port.lowers) {
    const bool shares = SharesDevice(port);
    for (const Netdev& lower : *port.lowers) {
      if (shares && lower.name == port.netdev->name) continue;
      text += Cat(!text.empty() ? " and " : shares ? ", one RDMA device with " : ", over ", lower.name);
    }
  }
  if (!port.uppers) return text;
  for (std::size_t i = 0; i < port.uppers->size(); ++i) {
    const UpperNetdev& upper = (*port.uppers)[i];
    const std::string_view between = i == 0 ? ", under " : i + 1 == port.uppers->size() ? " and " : ", ";
    text += Cat(between, upper.name, " (", upper.kind);
    text += upper.vlan_id ? Cat(" ", *upper.vlan_id, ")") : std::string(")");
  }
  return text;
}

bool SamePlace(std::string_view a, std::string_view b) {
  const auto is_part = [](std::string_view part, std::string_view whole) {
    return part.starts_with(whole) && part.substr(whole.size()).starts_with(kOn);
  };
  return a == b || is_part(a, b) || is_part(b, a);
}

}  // namespace rdmaready
