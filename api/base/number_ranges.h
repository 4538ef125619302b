// SPDX-License-Identifier: Apache-2.0
// Lists of numbers as the kernel writes those of CPUs and nodes: "0-3,8".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/base/number.h"

namespace rdmaready {

struct NumberRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  // at least `first`
};

// The ranges of the whole text, which has one or more; nothing for any other text, and when a number is not
// below `limit`.
inline std::optional<std::vector<NumberRange>> ParseNumberRanges(std::string_view text, std::uint32_t limit) {
  std::vector<NumberRange> ranges;
  while (true) {
    const std::optional<std::uint32_t> first = TakeNumber<std::uint32_t>(text);
    std::optional<std::uint32_t> last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = TakeNumber<std::uint32_t>(text);
    }
    if (!first || !last || *last < *first || *last >= limit) return std::nullopt;
    ranges.push_back({.first = *first, .last = *last});
    if (text.empty()) return ranges;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
}

}  // namespace rdmaready
