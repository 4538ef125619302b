// SPDX-License-Identifier: Apache-2.0
// StoreLimits as a person gives them, on a command line or in a file. Errors are kInvalidArgument with one
// clear line that does not name the option.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "agent/store/retention.h"

namespace rdmaready {

// "256M"; at least 1M: less would not hold the log of one day.
absl::StatusOr<std::uint64_t> ParseMaxBytes(std::string_view text);

// "90d"; "0": as long as there is room.
absl::StatusOr<std::chrono::seconds> ParseMaxAge(std::string_view text);

}  // namespace rdmaready
