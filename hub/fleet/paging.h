// SPDX-License-Identifier: Apache-2.0
// Pages of an answer. A token is the number of the first row of the next page, and a digest of what was asked;
// or what the last row is known by that was looked at, sealed (sealed_text.h): that row may be of a host that
// the caller may not see. With another question it is refused, and a sealed one also by a hub that was started
// again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hub/store/row_places.h"
#include "hub/store/token_store.h"

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

// Of an answer that goes on after a row: rows that come or go meanwhile move no other one to another page.
template <class Place>
struct PageAfter {
  Place after{};  // as it is made: the first page
  std::size_t count = 0;
};
using FindingPage = PageAfter<FindingPlace>;
using ChangePage = PageAfter<ChangePlace>;
using TokenPage = PageAfter<TokenPlace>;
struct PastPage : PageAfter<PastPlace> {
  std::optional<std::uint64_t> of{};  // how many rows the first page counted; none: this is it
};

// Errors as those of ReadPage.
absl::StatusOr<FindingPage> ReadFindingPage(std::uint32_t size, const std::string& token,
                                            const std::string& question);
absl::StatusOr<ChangePage> ReadChangePage(std::uint32_t size, const std::string& token,
                                          const std::string& question);
absl::StatusOr<PastPage> ReadPastPage(std::uint32_t size, const std::string& token,
                                      const std::string& question);
absl::StatusOr<TokenPage> ReadTokenPage(std::uint32_t size, const std::string& token,
                                        const std::string& question);

// Of no place: empty. An error only when libcrypto refuses.
absl::StatusOr<std::string> TokenAfter(const std::optional<FindingPlace>& place, const std::string& question);
absl::StatusOr<std::string> TokenAfter(const std::optional<ChangePlace>& place, const std::string& question);
absl::StatusOr<std::string> TokenAfter(const std::optional<PastPlace>& place, std::uint64_t of,
                                       const std::string& question);
absl::StatusOr<std::string> TokenAfter(const TokenPlace& place, const std::string& question);

}  // namespace rdmaready::hub
