// SPDX-License-Identifier: Apache-2.0
// Tagging: by which VLANs an RDMA port is reached.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"

namespace rdmaready {

// A VLAN between a storage address and the port's wire.
struct TaggedNetdev {
  std::string name{};  // of the VLAN
  std::uint16_t id = 0;
  std::uint32_t mtu_bytes = 0;
  Fact<std::vector<VlanPriority>> egress{};
  std::string address{};  // the first one that is reached by it

  bool operator==(const TaggedNetdev&) const = default;
};

// Every VLAN that an address of the port (checks/addresses.h) is on, or on something over it; the port's own
// netdev may be one. In the order of the addresses, each once.
std::vector<TaggedNetdev> VlansWithAddress(const Port& port);

// Those of them that the profile allows for storage: all, when it names none (vlan_ids).
std::vector<TaggedNetdev> StorageVlans(const Port& port, const Profile& profile);

}  // namespace rdmaready
