// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/retry_after.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/match.h"
#include "api/base/number.h"

namespace rdmaready::hub {
namespace {

constexpr std::uint32_t kLongestRestS = 3'600;

}  // namespace

std::chrono::seconds RetryAfterOf(std::string_view header) {
  constexpr std::string_view kName = "retry-after:";
  if (!absl::StartsWithIgnoreCase({header.data(), header.size()}, {kName.data(), kName.size()})) return {};
  std::string_view value = header.substr(kName.size());
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == '\r' || value.back() == '\n' || value.back() == ' '))
    value.remove_suffix(1);
  const std::optional<std::uint32_t> seconds = ParseNumber<std::uint32_t>(value);
  return seconds ? std::chrono::seconds(std::min(*seconds, kLongestRestS)) : std::chrono::seconds(0);
}

}  // namespace rdmaready::hub
