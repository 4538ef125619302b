// SPDX-License-Identifier: Apache-2.0
// CounterChange: what became of a counter between two readings.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace rdmaready
