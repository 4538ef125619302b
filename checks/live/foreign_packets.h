// SPDX-License-Identifier: Apache-2.0
// ForeignPackets: the packets of others at one end of a live test, by their rate just before it. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "api/model/counter_change.h"

namespace rdmaready {

using PacketsByPriority = std::array<std::uint64_t, kPriorities>;

// During the test, for PriorityPackets::sent or ::received. Nothing: the end did not measure it.
std::optional<PacketsByPriority> ForeignPackets(const EndCounters& end,
                                                PacketsByPriority PriorityPackets::*counter);

// Never below zero.
PacketsByPriority LessForeign(const PacketsByPriority& foreign, PacketsByPriority packets);

}  // namespace rdmaready
