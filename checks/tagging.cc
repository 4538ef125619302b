// SPDX-License-Identifier: Apache-2.0
#include "checks/tagging.h"

#include <algorithm>

#include "checks/addresses.h"

namespace rdmaready {
namespace {

// The VLAN that `upper` is or stands on; null for none. `hops` bounds a stack that the kernel cannot have.
const UpperNetdev* VlanOf(const Port& port, const UpperNetdev& upper, int hops = 8) {
  if (upper.vlan_id) return &upper;
  if (hops == 0) return nullptr;
  for (const std::string& below : upper.over) {
    const auto next = std::ranges::find(*port.uppers, below, &UpperNetdev::name);
    if (next == port.uppers->end()) continue;
    if (const UpperNetdev* vlan = VlanOf(port, *next, hops - 1)) return vlan;
  }
  return nullptr;
}

}  // namespace

std::vector<TaggedNetdev> VlansWithAddress(const Port& port) {
  std::vector<TaggedNetdev> vlans;
  const auto add = [&vlans](TaggedNetdev vlan) {
    if (std::ranges::find(vlans, vlan.name, &TaggedNetdev::name) == vlans.end())
      vlans.push_back(std::move(vlan));
  };
  for (const PlacedAddress& placed : AddressesOf(port)) {
    const UpperNetdev* vlan = placed.upper == nullptr ? nullptr : VlanOf(port, *placed.upper);
    if (vlan != nullptr) {
      add({vlan->name, *vlan->vlan_id, vlan->mtu_bytes, vlan->vlan_egress, placed.ip.address});
    } else if (port.netdev->vlan_id) {
      const Netdev& netdev = *port.netdev;
      add({netdev.name, *netdev.vlan_id, netdev.mtu_bytes, netdev.vlan_egress, placed.ip.address});
    }
  }
  return vlans;
}

std::vector<TaggedNetdev> StorageVlans(const Port& port, const Profile& profile) {
  std::vector<TaggedNetdev> vlans = VlansWithAddress(port);
  if (!profile.vlan_ids) return vlans;
  std::erase_if(vlans, [&profile](const TaggedNetdev& vlan) {
    return std::ranges::find(*profile.vlan_ids, vlan.id) == profile.vlan_ids->end();
  });
  return vlans;
}

}  // namespace rdmaready
