// SPDX-License-Identifier: Apache-2.0
#include "checks/live/foreign_packets.h"

#include <algorithm>
#include <cstddef>

namespace rdmaready {

std::optional<PacketsByPriority> ForeignPackets(const EndCounters& end,
                                                PacketsByPriority PriorityPackets::*counter) {
  if (!end.idle_packets || !end.idle_ns || !end.counted_ns || *end.idle_ns <= 0 || *end.counted_ns <= 0)
    return std::nullopt;
  const double longer = static_cast<double>(*end.counted_ns) / static_cast<double>(*end.idle_ns);
  constexpr double kMost = 1e18;  // another host reports these: what is beyond it fits into no counter
  PacketsByPriority foreign = (*end.idle_packets).*counter;
  for (std::uint64_t& packets : foreign)
    packets = static_cast<std::uint64_t>(std::min(static_cast<double>(packets) * longer + 0.5, kMost));
  return foreign;
}

PacketsByPriority LessForeign(const PacketsByPriority& foreign, PacketsByPriority packets) {
  for (std::size_t i = 0; i < kPriorities; ++i) packets[i] -= std::min(packets[i], foreign[i]);
  return packets;
}

}  // namespace rdmaready
