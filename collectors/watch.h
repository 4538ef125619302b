// SPDX-License-Identifier: Apache-2.0
// What counts on a port, kept from one reading of the host to a later one. Pure.
#pragma once

#include <cstdint>

#include "api/model/facts.h"

namespace rdmaready {

// What counts on the port, and on the Ethernet ports that it stands on, as `port` has it. `before_ms` is 0.
EarlierReading WhatCounts(const Port& port);

// Fills Port::earlier of each port of `after` with what counted on it in `before`, `before_ms` earlier. Missing
// where the port was not there then, or was another device of that name.
void KeepEarlier(const Facts& before, std::uint32_t before_ms, Facts& after);

}  // namespace rdmaready
