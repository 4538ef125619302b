// SPDX-License-Identifier: Apache-2.0
#include "api/base/name_pattern.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/base/number.h"

namespace rdmaready {
namespace {

struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t digits = 0;       // of every number; 0: as many as it needs
  std::size_t pattern_size = 0;  // with its brackets
};

// Asked at every place of a pattern: most begin no range, and are not searched for its end.
std::optional<NumberRange> RangeAt(std::string_view pattern) {
  if (!pattern.starts_with('[')) return std::nullopt;
  const std::size_t end = pattern.find(']');
  const std::size_t dash = pattern.find('-');
  if (end == std::string_view::npos || dash > end) return std::nullopt;
  const std::string_view low = pattern.substr(1, dash - 1);
  const auto first = ParseNumber<std::uint64_t>(low);
  const auto last = ParseNumber<std::uint64_t>(pattern.substr(dash + 1, end - dash - 1));
  if (!first || !last || *first > *last) return std::nullopt;
  const bool padded = low.size() > 1 && low.front() == '0';
  return NumberRange{*first, *last, padded ? low.size() : 0, end + 1};
}

bool Fits(const NumberRange& range, std::string_view digits) {
  const bool leads_with_zero = digits.size() > 1 && digits.front() == '0';
  if (range.digits == 0 ? leads_with_zero : digits.size() != range.digits) return false;
  const auto number = ParseNumber<std::uint64_t>(digits);
  return number && *number >= range.first && *number <= range.last;
}

std::size_t DigitsAt(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [](char c) { return c >= '0' && c <= '9'; });
  return static_cast<std::size_t>(end - text.begin());
}

}  // namespace

// `reached[i]`: the pattern so far stands for the first i characters of the text.
bool MatchesPattern(std::string_view pattern, std::string_view text) {
  std::vector<bool> reached(text.size() + 1);
  reached[0] = true;
  while (!pattern.empty()) {
    const std::optional<NumberRange> range = RangeAt(pattern);
    std::vector<bool> next(text.size() + 1);
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (!reached[i]) continue;
      if (range) {
        const std::size_t digits = DigitsAt(text.substr(i));
        if (digits > 0 && Fits(*range, text.substr(i, digits))) next[i + digits] = true;
      } else if (pattern.front() == '*') {
        std::fill(next.begin() + static_cast<std::ptrdiff_t>(i), next.end(), true);
        break;
      } else if (i < text.size() && (pattern.front() == '?' || pattern.front() == text[i])) {
        next[i + 1] = true;
      }
    }
    reached = std::move(next);
    pattern.remove_prefix(range ? range->pattern_size : 1);
  }
  return reached[text.size()];
}

}  // namespace rdmaready
