// SPDX-License-Identifier: Apache-2.0
// The words of problems that several files find.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "api/profile/profile_problems.h"
#include "rdmaready/v1/profile.pb.h"

namespace rdmaready {

inline constexpr std::uint32_t kHighestPriority = 7;

inline std::string NumberText(std::uint64_t number) { return std::to_string(number); }

inline ProfileProblem OutOfRange(std::string field, std::uint64_t value, std::uint64_t low,
                                 std::uint64_t high) {
  return {.field = std::move(field),
          .text = NumberText(value) + " is not in " + NumberText(low) + ".." + NumberText(high)};
}

// Whether the priority is lossless.
inline bool IsPaused(const v1::Profile& message, std::uint32_t priority) {
  return std::ranges::find(message.pfc().priorities(), priority) != message.pfc().priorities().end();
}

}  // namespace rdmaready
