// SPDX-License-Identifier: Apache-2.0
// What live tests of a fleet's hosts showed last, as text. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/fleet_past.h"
#include "cli/style.h"

namespace rdmaready {

// A row for each, in their order. `of`: how many there are; `slower`: only those were asked for.
std::string FleetPastText(const std::vector<FleetPastTest>& tests, std::uint64_t of, bool slower,
                          const Style& style);

}  // namespace rdmaready
