// SPDX-License-Identifier: Apache-2.0
#include "hub/fleet/paging.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "api/base/digest.h"
#include "api/base/number.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kDigitsOfQuestion = 16;

std::string MarkOf(const std::string& question) {
  return Sha256(question).value_or("").substr(0, kDigitsOfQuestion);
}

}  // namespace

absl::StatusOr<Page> ReadPage(std::uint32_t size, const std::string& token, const std::string& question) {
  if (size > kMostOnPage)
    return absl::InvalidArgumentError(fmt::format("page_size {}: at most {}", size, kMostOnPage));
  Page page{.count = size == 0 ? kDefaultPage : size};
  if (token.empty()) return page;
  const std::size_t dash = token.find('-');
  const std::string_view digits = std::string_view(token).substr(std::min(dash, token.size() - 1) + 1);
  const std::optional<std::uint64_t> first = ParseNumber<std::uint64_t>(digits);
  if (dash == std::string::npos || !first || token.substr(0, dash) != MarkOf(question))
    return absl::InvalidArgumentError("page_token: not of this question");
  page.first = *first;
  return page;
}

std::string NextToken(const Page& page, std::size_t total, const std::string& question) {
  const std::size_t next = page.first + page.count;
  return next < total ? fmt::format("{}-{}", MarkOf(question), next) : std::string();
}

}  // namespace rdmaready::hub
