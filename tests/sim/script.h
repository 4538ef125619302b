// SPDX-License-Identifier: Apache-2.0
// What happens to a made-up fleet, and when. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready::sim {

struct Happening {
  enum class What { kChange, kOdd, kTest, kSlow, kRestart, kStop, kStart, kSkew };
  std::chrono::milliseconds at{};
  What what = What::kChange;
  std::size_t hosts = 0;             // the first so many
  std::chrono::milliseconds skew{};  // of kSkew
  std::string text{};                // the line
};

// Lines "TIME WHAT HOW-MANY [TIME]"; `#` begins a comment. In the order of their times. kInvalidArgument with
// the line.
absl::StatusOr<std::vector<Happening>> ParseScript(std::string_view text, std::size_t agents);

}  // namespace rdmaready::sim
