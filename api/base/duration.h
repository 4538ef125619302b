// SPDX-License-Identifier: Apache-2.0
// Spans of time as people type them.
#pragma once

#include <chrono>
#include <string_view>

#include "absl/status/statusor.h"

namespace rdmaready {

// "60", "60s", "500ms", "2m", "1h". kInvalidArgument for anything else, and for no time at all.
absl::StatusOr<std::chrono::milliseconds> ParseDuration(std::string_view text);

}  // namespace rdmaready
