// SPDX-License-Identifier: Apache-2.0
// From a ToS to the priority in a VLAN tag, as RDMA-CM goes (iboe_tos_to_sl of drivers/infiniband/core/cma.c).
#pragma once

#include <cstdint>
#include <vector>

#include "api/model/facts.h"

namespace rdmaready {

// rt_tos2priority of include/net/route.h: 0 is best effort, 2 bulk, 6 interactive, 4 interactive bulk.
std::uint32_t SocketPriorityOf(std::uint8_t tos);

// What a VLAN's egress map makes of it; 0 where it says nothing.
std::uint8_t PcpOf(const std::vector<VlanPriority>& egress, std::uint32_t socket_priority);

// The class that mqprio has for it. RDMA-CM takes it for the priority, before it looks at a VLAN's map.
std::uint8_t ClassOf(const Mqprio& mqprio, std::uint32_t socket_priority);

}  // namespace rdmaready
