// SPDX-License-Identifier: Apache-2.0
// Quantity: sizes and spans of time as a person types them, in flags and files.
//
// Errors are kInvalidArgument with one clear line that quotes the text and shows what is expected.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace rdmaready {

inline constexpr std::uint64_t kBytesOfMegabit = 1'000'000 / 8;  // of rates: decimal units

// "1048576", "512K", "256M", "4G", "1T": bytes, binary units.
absl::StatusOr<std::uint64_t> ParseSize(std::string_view text);

// How long to wait: "60" and "60s", "500ms", "2m", "1h": more than nothing, at most 100 years.
absl::StatusOr<std::chrono::milliseconds> ParseDuration(std::string_view text);

// How long ago: "90s", "30m", "24h", "7d", "2w": more than nothing, at most 100 years.
absl::StatusOr<std::chrono::seconds> ParseAge(std::string_view text);

}  // namespace rdmaready
