// SPDX-License-Identifier: Apache-2.0
// Pages of an answer. A token is the place of the first row of the next page, and a digest of what was asked:
// with another question it is refused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready::hub {

inline constexpr std::uint32_t kDefaultPage = 200;
inline constexpr std::uint32_t kMostOnPage = 4000;

struct Page {
  std::size_t first = 0;
  std::size_t count = 0;
};

// kInvalidArgument: a size beyond kMostOnPage, or a token that is none of this question's.
absl::StatusOr<Page> ReadPage(std::uint32_t size, const std::string& token, const std::string& question);

// Of an answer of `total` rows; empty: the page was the last one.
std::string NextToken(const Page& page, std::size_t total, const std::string& question);

}  // namespace rdmaready::hub
