// SPDX-License-Identifier: Apache-2.0
// Dates of the Gregorian calendar as people write them: "2026-12-31".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rdmaready {

// When that day ends, in UTC: the first nanosecond of the next. Nothing when the text is no such day, or one
// that 64 bits of nanoseconds cannot hold.
std::optional<std::int64_t> EndOfDayUnixNs(std::string_view date);

}  // namespace rdmaready
