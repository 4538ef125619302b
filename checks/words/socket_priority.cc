// SPDX-License-Identifier: Apache-2.0
#include "checks/words/socket_priority.h"

#include <algorithm>
#include <array>

namespace rdmaready {

std::uint32_t SocketPriorityOf(std::uint8_t tos) {
  constexpr std::array<std::uint32_t, 4> kByClass{0, 2, 6, 4};
  return kByClass[tos >> 3 & 3U];
}

std::uint8_t PcpOf(const std::vector<VlanPriority>& egress, std::uint32_t socket_priority) {
  const auto row = std::ranges::find(egress, socket_priority, &VlanPriority::from);
  return row == egress.end() ? std::uint8_t{0} : row->pcp;
}

std::uint8_t ClassOf(const Mqprio& mqprio, std::uint32_t socket_priority) {
  return mqprio.priority_class[socket_priority % mqprio.priority_class.size()];
}

}  // namespace rdmaready
