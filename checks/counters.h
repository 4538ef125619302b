// SPDX-License-Identifier: Apache-2.0
// Counters: what became of them between two readings. A difference of two numbers is not yet an answer: drivers
// start anew when they are reset, 32-bit counters wrap, those of InfiniBand's PMA stop at their maximum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"

namespace rdmaready {

struct CounterChange {
  enum class Kind {
    kUnknown,    // not compared
    kUnchanged,  // the same value
    kGrew,       // by `by`
    kWrapped,    // passed its maximum once; grew by `by`
    kReset,      // started anew, after which it grew by `by`; what it had counted before that is lost
    kSaturated,  // stands at its maximum: grew by at least `by`, maybe 0, and cannot tell more
    kAppeared,   // only in the later reading: nothing can be said of its growth
    kGone,       // only in the earlier reading
  };
  std::string name{};
  Kind kind = Kind::kUnknown;
  std::uint64_t by = 0;

  bool operator==(const CounterChange&) const = default;
};

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
