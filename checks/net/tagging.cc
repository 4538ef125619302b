// SPDX-License-Identifier: Apache-2.0
#include "checks/net/tagging.h"

#include <algorithm>
#include <string_view>

#include "checks/words/addresses.h"
#include "checks/words/socket_priority.h"
#include "checks/words/verdicts.h"

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

bool StandsOnPort(const Port& port, const UpperNetdev& vlan) {
  return port.netdev && std::ranges::find(vlan.over, port.netdev->name) != vlan.over.end();
}

// It tells the kernel of its classes also without mqprio (net_device.num_tc), and RDMA-CM asks for those before
// it looks at a VLAN's map (get_vlan_ndev_tc of drivers/infiniband/core/cma.c). So do ice and i40e, but irdma
// ignores what RDMA-CM found and takes the VLAN's map itself (irdma_roce_get_vlan_prio).
bool NamesClasses(const Netdev& netdev) { return netdev.driver == "bnxt_en"; }

bool SplitsTraffic(const Ets& ets) {
  return std::ranges::any_of(ets.prio_tc, [&ets](std::uint8_t tc) { return tc != ets.prio_tc.front(); });
}

bool LeadsElsewhere(const Facts& host, const std::string& netdev) {
  const Fact<std::vector<std::string>>& routes = host.default_routes;
  return routes && std::ranges::find(*routes, netdev) != routes->end();
}

// An address of the port's that is on no VLAN, and not the one by which everybody else is reached.
bool HasUntagged(const Facts& host, const Port& port) {
  return std::ranges::any_of(AddressesOf(port), [&](const PlacedAddress& placed) {
    const bool tagged = placed.upper != nullptr ? VlanOf(port, *placed.upper) != nullptr
                                                : static_cast<bool>(port.netdev->vlan_id);
    return !tagged && !LeadsElsewhere(host, placed.netdev);
  });
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
      add({vlan->name, *vlan->vlan_id, vlan->mtu_bytes, vlan->vlan_egress, placed.ip.address,
           StandsOnPort(port, *vlan), placed.netdev, vlan->vlan_reorder});
    } else if (port.netdev && port.netdev->vlan_id) {
      const Netdev& netdev = *port.netdev;
      add({netdev.name, *netdev.vlan_id, netdev.mtu_bytes, netdev.vlan_egress, placed.ip.address, false,
           placed.netdev, netdev.vlan_reorder});
    }
  }
  return vlans;
}

Fact<std::vector<std::uint16_t>> TagsOf(const Port& port, const PlacedAddress& placed) {
  constexpr int kMostLayers = 8;
  std::vector<std::uint16_t> tags;
  const UpperNetdev* upper = placed.upper;
  for (int layer = 0; upper != nullptr && layer < kMostLayers; ++layer) {
    if (upper->vlan_id) {
      tags.push_back(*upper->vlan_id);
    } else if (upper->kind == "vlan" || (upper->kind.empty() && !NotOffered(upper->vlan_id))) {
      return upper->vlan_id.missing();
    }
    const UpperNetdev* below = nullptr;
    for (const std::string& name : upper->over) {
      const auto next = std::ranges::find(*port.uppers, name, &UpperNetdev::name);
      if (next != port.uppers->end() && &*next != upper) below = &*next;
    }
    upper = below;
  }
  if (!port.netdev || NotOffered(port.netdev->vlan_id)) return tags;
  if (!port.netdev->vlan_id) return port.netdev->vlan_id.missing();
  tags.push_back(*port.netdev->vlan_id);
  return tags;
}

std::vector<TaggedNetdev> StorageVlans(const Facts& host, const Port& port, const Profile& profile) {
  std::vector<TaggedNetdev> vlans = VlansWithAddress(port);
  if (profile.vlan_ids) {
    std::erase_if(vlans, [&profile](const TaggedNetdev& vlan) {
      return std::ranges::find(*profile.vlan_ids, vlan.id) == profile.vlan_ids->end();
    });
    return vlans;
  }
  std::vector<TaggedNetdev> apart = vlans;
  std::erase_if(apart, [&host](const TaggedNetdev& vlan) { return LeadsElsewhere(host, vlan.holder); });
  return apart.empty() && !HasUntagged(host, port) ? vlans : apart;
}

Fact<TagPriority> TagPriorityOf(const Port& port, const TaggedNetdev& vlan, std::uint32_t socket_priority) {
  if (vlan.directly_on_port && port.netdev && NamesClasses(*port.netdev)) {
    const Fact<Ets>& ets = port.netdev->dcb.ets;
    if (!ets && !NotOffered(ets)) return ets.missing();
    if (ets && SplitsTraffic(*ets))
      return TagPriority{.pcp = ets->prio_tc[socket_priority % kPriorities], .by_class = true};
  }
  if (!vlan.egress) return vlan.egress.missing();
  return TagPriority{.pcp = PcpOf(*vlan.egress, socket_priority)};
}

}  // namespace rdmaready
