// SPDX-License-Identifier: Apache-2.0
#include "api/base/date.h"

#include <chrono>

#include "api/base/number.h"

namespace rdmaready {

std::optional<std::int64_t> EndOfDayUnixNs(std::string_view date) {
  constexpr std::size_t kLength = 10;
  constexpr std::uint32_t kFirstYear = 1970;
  constexpr std::uint32_t kLastYear = 2261;
  if (date.size() != kLength || date[4] != '-' || date[7] != '-') return std::nullopt;
  const auto year = ParseNumber<std::uint32_t>(date.substr(0, 4));
  const auto month = ParseNumber<std::uint32_t>(date.substr(5, 2));
  const auto day = ParseNumber<std::uint32_t>(date.substr(8, 2));
  if (!year || !month || !day || *year < kFirstYear || *year > kLastYear) return std::nullopt;
  const std::chrono::year_month_day named{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                          std::chrono::day(*day)};
  if (!named.ok()) return std::nullopt;
  const std::chrono::sys_days next = std::chrono::sys_days(named) + std::chrono::days(1);
  return std::chrono::nanoseconds(next.time_since_epoch()).count();
}

}  // namespace rdmaready
