// SPDX-License-Identifier: Apache-2.0
// Rows of the APP table: which protocol has which priority.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "api/model/dcb.h"

namespace rdmaready {

inline constexpr std::uint16_t kRoceV2UdpPort = 4791;
inline constexpr std::uint16_t kRoceV1Ethertype = 0x8915;
inline constexpr std::uint16_t kSmbPort = 445;
inline constexpr std::uint16_t kSmbDirectPort = 5445;  // over iWARP

// Of all rows for that protocol, ascending.
std::vector<std::uint8_t> PrioritiesFor(std::span<const AppEntry> rows, AppSelector selector,
                                        std::uint16_t protocol);

// Drivers that take RoCE's priority from the row of its UDP port or EtherType.
bool TakesPriorityFromRows(std::string_view driver);

// Drivers that refuse every row but those of DSCP.
bool TakesDscpRowsOnly(std::string_view driver);

}  // namespace rdmaready
