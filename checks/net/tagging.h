// SPDX-License-Identifier: Apache-2.0
// Tagging: by which VLANs an RDMA port is reached.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "checks/words/addresses.h"

namespace rdmaready {

// A VLAN between a storage address and the port's wire.
struct TaggedNetdev {
  std::string name{};  // of the VLAN
  std::uint16_t id = 0;
  std::uint32_t mtu_bytes = 0;
  Fact<std::vector<VlanPriority>> egress{};
  std::string address{};          // the first one that is reached by it
  bool directly_on_port = false;  // nothing between it and the port's netdev
  std::string holder{};           // the netdev that has the address: the VLAN, or what stands on it
  Fact<bool> reorder{};           // UpperNetdev::vlan_reorder

  bool operator==(const TaggedNetdev&) const = default;
};

// Every VLAN that an address of the port (checks/words/addresses.h) is on, or on something over it; the port's
// own netdev may be one. In the order of the addresses, each once.
std::vector<TaggedNetdev> VlansWithAddress(const Port& port);

// The VLANs that a frame to that address of the port carries, the inner one first. Empty: it is untagged, as
// far as this host knows. The tag that a hypervisor gives the frames of a virtual function is not among them.
Fact<std::vector<std::uint16_t>> TagsOf(const Port& port, const PlacedAddress& placed);

// Those VLANs that may carry RDMA: the ones that the profile names (vlan_ids). A profile may name none: then
// all but those that lead to everybody else (the default route), as long as an address is left beside them.
// Where that address is untagged, no VLAN carries storage.
std::vector<TaggedNetdev> StorageVlans(const Facts& host, const Port& port, const Profile& profile);

// The priority in the tag of what RDMA-CM sends by a VLAN.
struct TagPriority {
  std::uint8_t pcp = 0;
  bool by_class = false;  // the NIC's traffic classes decide, and no egress map is looked at

  bool operator==(const TagPriority&) const = default;
};

// Without regard to mqprio, which goes before both.
Fact<TagPriority> TagPriorityOf(const Port& port, const TaggedNetdev& vlan, std::uint32_t socket_priority);

}  // namespace rdmaready
