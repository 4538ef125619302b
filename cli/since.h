// SPDX-License-Identifier: Apache-2.0
// Points in time as a person types them. All in UTC, as run ids are: hosts in several zones are read side
// by side.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace rdmaready {

// "24h" (that long before `now`), "2026-11-20", "2026-11-20T19:17", "2026-11-20T19:17:30", also with a final Z,
// or a blank for the T. kInvalidArgument with one clear line.
absl::StatusOr<std::int64_t> ParseSince(std::string_view text, std::int64_t now_unix_ns);

}  // namespace rdmaready
