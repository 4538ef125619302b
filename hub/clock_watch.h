// SPDX-License-Identifier: Apache-2.0
// ClockWatch: whether this machine's wall clock was set, by a clock that nobody sets. Pure.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

namespace rdmaready::hub {

class ClockWatch {
 public:
  // By how much it was set since the call before, ahead or, negative, back: also by a machine that slept, whose
  // other clock stood still. None: by less than five seconds, which time servers do by and by.
  std::optional<std::int64_t> Jumped(std::int64_t unix_ns, std::int64_t steady_ns) {
    const std::int64_t apart = unix_ns - steady_ns;
    const std::optional<std::int64_t> before = std::exchange(apart_ns_, apart);
    if (!before || std::abs(apart - *before) < kLeastJumpNs) return std::nullopt;
    return apart - *before;
  }

 private:
  static constexpr std::int64_t kLeastJumpNs = 5'000'000'000;

  std::optional<std::int64_t> apart_ns_{};
};

}  // namespace rdmaready::hub
