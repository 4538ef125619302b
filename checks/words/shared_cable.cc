// SPDX-License-Identifier: Apache-2.0
#include "checks/words/shared_cable.h"

#include <algorithm>

#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string SlotOf(const Port& port) {
  return port.pci ? port.pci->address.substr(0, port.pci->address.rfind('.')) : std::string();
}

// The address that the adapter was made with; empty where it is not known, or not of the adapter.
std::string OwnMac(const Port& port) {
  if (IsSoftware(port) || IsInfiniBand(port) || !port.pci || IsVirtualFunction(port) || !port.netdev) return {};
  const Netdev& netdev = *port.netdev;
  if (netdev.permanent_mac) return *netdev.permanent_mac;
  return netdev.master.empty() && !netdev.vlan_id ? netdev.mac : std::string();
}

}  // namespace

bool ShareCable(const Port& port, const Port& other) {
  if (port.device == other.device) return false;
  const std::string slot = SlotOf(port);
  const std::string mac = OwnMac(port);
  return !slot.empty() && !mac.empty() && slot != SlotOf(other) && mac == OwnMac(other);
}

std::string CarriedOverOneCable(const Facts& host, const Port& port) {
  if (!host.ports || !AddressesKnown(port) || !AddressesOf(port).empty()) return {};
  const auto carrier = std::ranges::find_if(
      *host.ports, [&](const Port& other) { return ShareCable(port, other) && !AddressesOf(other).empty(); });
  return carrier == host.ports->end() ? std::string() : SubjectOf(*carrier);
}

std::string PerhapsInterfaceOfBoth(const Facts& host, const Port& port) {
  if (!host.ports || IsSoftware(port) || IsVirtualFunction(port) || port.netdev || !port.board) return {};
  const std::string slot = SlotOf(port);
  if (slot.empty() || !port.state || *port.state != PortState::kDown) return {};
  for (const Port& other : *host.ports) {
    const bool active = other.state && *other.state == PortState::kActive && other.netdev;
    if (!active || !other.board || *other.board != *port.board || IsVirtualFunction(other)) continue;
    if (SlotOf(other) != slot) return other.netdev->name;
  }
  return {};
}

bool IsSecondOnCable(const Facts& host, const Port& port) {
  if (!host.ports) return false;
  for (const Port& other : *host.ports) {
    if (other.device == port.device && other.number == port.number) return false;
    if (ShareCable(port, other)) return true;
  }
  return false;
}

}  // namespace rdmaready
