// SPDX-License-Identifier: Apache-2.0
// Counters: what became of them between two readings. A difference of two numbers is not yet an answer: drivers
// start again when they are reset, 32-bit counters wrap, those of InfiniBand's PMA stop at their maximum.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/model/counter_change.h"
#include "api/model/facts.h"

namespace rdmaready {

// A counter that is narrower than the 64 bits it is shown in.
struct CounterWidth {
  unsigned bits = 0;       // 1 to 63
  bool saturates = false;  // stays at its maximum; else it goes on from 0

  bool operator==(const CounterWidth&) const = default;
};

// The two lists of a Port: names mean something else in each (rxe counts link_downed in 64 bits).
enum class CounterFamily { kHardware, kPort };

// What is known of the driver's counter of that name. A name says less than a value: one beyond the width
// proves that this driver counts further (PMA counters of 32 bits have 64 on newer hardware).
std::optional<CounterWidth> WidthOf(std::string_view name, CounterFamily family);

// Two readings of one counter, the earlier first.
CounterChange Difference(const Counter& before, const Counter& after, std::optional<CounterWidth> width);

// Two readings of a list, matched by name: in the order of the later reading, then what is gone. Readings
// closer together than the counters' lifespan may be one and the same.
std::vector<CounterChange> Differences(const std::vector<Counter>& before, const std::vector<Counter>& after,
                                       CounterFamily family);

}  // namespace rdmaready
