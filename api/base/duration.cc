// SPDX-License-Identifier: Apache-2.0
#include "api/base/duration.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <string>

namespace rdmaready {

absl::StatusOr<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  static const std::map<std::string_view, std::int64_t> kUnits{
      {"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60'000}, {"h", 3'600'000}};
  const auto factor = kUnits.find(unit);
  constexpr std::int64_t kMost = 1'000'000;
  if (error != std::errc() || factor == kUnits.end() || number <= 0 || number > kMost) {
    return absl::InvalidArgumentError("'" + std::string(text) + "' is no time: write 60, 60s, 500ms or 2m");
  }
  return std::chrono::milliseconds(number * factor->second);
}

}  // namespace rdmaready
