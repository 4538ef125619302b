// SPDX-License-Identifier: Apache-2.0
#include "cli/since.h"

#include <chrono>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "api/base/quantity.h"

namespace rdmaready {
namespace {

using std::chrono::nanoseconds;

// Only what the format writes is taken: absl reads "2026-1-1" and blanks too.
std::optional<std::int64_t> ParseDate(std::string_view text) {
  if (text.ends_with('Z') && text.find_first_of("T ") != std::string_view::npos) text.remove_suffix(1);
  const std::string date(text);
  const absl::TimeZone utc = absl::UTCTimeZone();
  for (const char* format :
       {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"}) {
    absl::Time time;
    if (!absl::ParseTime(format, date, utc, &time, nullptr) || absl::FormatTime(format, time, utc) != date)
      continue;
    const auto year = absl::ToCivilYear(time, utc).year();
    if (year >= 1970 && year <= 2200) return absl::ToUnixNanos(time);
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::int64_t> ParseSince(std::string_view text, std::int64_t now_unix_ns) {
  if (const std::optional<std::int64_t> date = ParseDate(text)) return *date;
  if (const absl::StatusOr<std::chrono::seconds> age = ParseAge(text); age.ok()) {
    return now_unix_ns - nanoseconds(*age).count();
  }
  return absl::InvalidArgumentError("'" + std::string(text) +
                                    "' is no time: write 24h, 7d, 2026-11-20 or 2026-11-20T19:17 (UTC)");
}

}  // namespace rdmaready
