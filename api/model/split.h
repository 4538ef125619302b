// SPDX-License-Identifier: Apache-2.0
// Text in parts.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace rdmaready {

// The parts of `text` between the separators, empty ones too. A text without a separator is one part. The parts
// refer to `text`.
inline std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace rdmaready
