// SPDX-License-Identifier: Apache-2.0
// The remedy of a port that is down, by what the port itself says of its link.
#pragma once

#include <cstdint>
#include <string>

#include "api/model/facts.h"
#include "checks/words/fix.h"

namespace rdmaready {

// enum ib_port_phys_state.
inline constexpr std::uint8_t kPhysPolling = 2;
inline constexpr std::uint8_t kPhysDisabled = 3;
inline constexpr std::uint8_t kPhysTraining = 4;
inline constexpr std::uint8_t kPhysLinkUp = 5;

// "polling: no partner found".
std::string PhysText(std::uint8_t state);

// For a port that is not active, from the lowest layer up.
Fix LinkStateFix(const Facts& host, const Port& port);

// For an InfiniBand port that is active and slower than it should be.
Fix SlowInfiniBandFix();

}  // namespace rdmaready
