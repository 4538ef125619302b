// SPDX-License-Identifier: Apache-2.0
// The capacity of PCIe links, and the ports inside a machine that it shows.
#pragma once

#include <cstdint>
#include <vector>

#include "api/model/facts.h"

namespace rdmaready {

// Megabits per second that a link carries, after its coding: 8b/10b up to 5 GT/s, 128b/130b above.
std::uint64_t CapacityMbps(const PciLink& link);

// The least that a link of the path carries where each runs at all that both its ends have. A path is not
// empty: from the card up, two hops for each link (PciFunction::path).
std::uint64_t BestMbps(const std::vector<PciHop>& path);

// An InfiniBand port inside the machine: the board gives its device, at best, less than a quarter of the lanes
// that its link could fill. NVSwitches are managed by such a ConnectX; no job sends by it.
Fact<bool> ManagesSwitchesOf(const Port& port);

// The same; false where it is not known.
bool ManagesSwitches(const Port& port);

}  // namespace rdmaready
