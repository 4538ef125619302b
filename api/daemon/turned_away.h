// SPDX-License-Identifier: Apache-2.0
// TurnedAway: counts callers who were turned away, for a word about it once a minute: a flood of them makes no
// flood of words.
#pragma once

#include <cstdint>
#include <optional>

#include "api/base/clock.h"

namespace rdmaready {

// Threads: one at a time.
class TurnedAway {
 public:
  explicit TurnedAway(Clock& clock) : clock_(clock) {}  // which outlives it

  // How many they are since that was told last; none: it was told less than a minute ago.
  std::optional<std::uint64_t> One();

 private:
  Clock& clock_;
  std::optional<Clock::TimePoint> told_{};
  std::uint64_t since_told_ = 0;
};

}  // namespace rdmaready
