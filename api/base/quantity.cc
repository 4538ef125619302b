// SPDX-License-Identifier: Apache-2.0
#include "api/base/quantity.h"

#include <limits>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "api/base/number.h"

namespace rdmaready {
namespace {

struct Unit {
  std::string_view name{};
  std::uint64_t factor = 0;
};

constexpr Unit kSizes[] = {{"", 1}, {"K", 1ull << 10}, {"M", 1ull << 20}, {"G", 1ull << 30}, {"T", 1ull << 40}};
constexpr Unit kDurations[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60'000}, {"h", 3'600'000}};
constexpr Unit kAges[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 7 * 86400}};
constexpr std::uint64_t kCenturySeconds = 100ull * 365 * 86400;

// Nothing for what is no number of these units, or more than fits.
std::optional<std::uint64_t> Parse(std::string_view text, std::span<const Unit> units) {
  const std::optional<std::uint64_t> number = TakeNumber<std::uint64_t>(text);
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name != text) continue;
    if (*number > std::numeric_limits<std::uint64_t>::max() / unit.factor) return std::nullopt;
    return *number * unit.factor;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::uint64_t> ParseSize(std::string_view text) {
  if (const std::optional<std::uint64_t> size = Parse(text, kSizes)) return *size;
  return absl::InvalidArgumentError("'" + std::string(text) + "' is no size: write 512K, 256M or 4G");
}

absl::StatusOr<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  const std::optional<std::uint64_t> duration = Parse(text, kDurations);
  if (duration && *duration > 0 && *duration <= kCenturySeconds * 1000)
    return std::chrono::milliseconds(*duration);
  return absl::InvalidArgumentError("'" + std::string(text) + "' is no time: write 60, 60s, 500ms or 2m");
}

absl::StatusOr<std::chrono::seconds> ParseAge(std::string_view text) {
  const std::optional<std::uint64_t> age = Parse(text, kAges);
  if (age && *age > 0 && *age <= kCenturySeconds) return std::chrono::seconds(*age);
  return absl::InvalidArgumentError("'" + std::string(text) + "' is no span of time: write 30m, 24h, 7d or 2w");
}

}  // namespace rdmaready
