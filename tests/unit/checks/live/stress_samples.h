// SPDX-License-Identifier: Apache-2.0
// The samples of an end of a stress test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "api/model/counter_change.h"

namespace rdmaready {

inline constexpr std::size_t kStressSamples = 20;  // 5 s

// So many samples like this one, one after the other.
inline std::vector<PressureSample> StressSamples(PressureSample like, std::size_t count = kStressSamples,
                                                 std::uint32_t length_ms = kPressureIntervalMs) {
  std::vector<PressureSample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    like.begin_ms = static_cast<std::uint32_t>(i) * length_ms;
    like.length_ms = length_ms;
    samples.push_back(like);
  }
  return samples;
}

}  // namespace rdmaready
