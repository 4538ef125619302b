// SPDX-License-Identifier: Apache-2.0
#include "cli/since.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "api/base/quantity.h"

namespace rdmaready {
namespace {

using std::chrono::nanoseconds;

// Takes "19", "-19", ":19" from the front: `lead` (if any), then exactly `digits` digits.
std::optional<int> Take(std::string_view& text, std::string_view lead, std::size_t digits) {
  if (!lead.empty()) {
    if (text.empty() || lead.find(text.front()) == std::string_view::npos) return std::nullopt;
    text.remove_prefix(1);
  }
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

std::optional<std::int64_t> ParseDate(std::string_view text) {
  const std::optional<int> year = Take(text, "", 4);
  const std::optional<int> month = year ? Take(text, "-", 2) : std::nullopt;
  const std::optional<int> day = month ? Take(text, "-", 2) : std::nullopt;
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < 1970 || *year > 2200) return std::nullopt;
  std::chrono::seconds time{0};
  if (!text.empty()) {
    const std::optional<int> hours = Take(text, "T ", 2);
    const std::optional<int> minutes = hours ? Take(text, ":", 2) : std::nullopt;
    if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
    time = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
    if (text.starts_with(':')) {
      const std::optional<int> seconds = Take(text, ":", 2);
      if (!seconds || *seconds > 59) return std::nullopt;
      time += std::chrono::seconds(*seconds);
    }
    if (text == "Z") text = {};
  }
  if (!text.empty()) return std::nullopt;
  return nanoseconds(std::chrono::sys_days(date).time_since_epoch() + time).count();
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

std::string TimeText(std::int64_t unix_ns) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(unix_ns / 1'000'000'000)));
}

}  // namespace rdmaready
