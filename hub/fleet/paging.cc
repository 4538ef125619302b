// SPDX-License-Identifier: Apache-2.0
#include "hub/fleet/paging.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <string_view>

#include "api/base/digest.h"
#include "api/base/number.h"
#include "api/base/status.h"
#include "hub/fleet/sealed_text.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kDigitsOfQuestion = 16;
constexpr std::size_t kMostTokenBytes = std::size_t{16} * 1024;

std::string MarkOf(const std::string& question) {
  return Sha256(question).value_or("").substr(0, kDigitsOfQuestion);
}

absl::Status NoTokenOfThis() { return absl::InvalidArgumentError("page_token: not of this question"); }
// The key by which tokens are sealed ends with the hub's process.
absl::Status NoTokenOfNow() {
  return absl::InvalidArgumentError(
      "page_token: not of this question, or from before the hub was started: begin again with the first page");
}

absl::StatusOr<std::size_t> RowsOnPage(std::uint32_t size) {
  if (size > kMostOnPage)
    return absl::InvalidArgumentError(fmt::format("page_size {}: at most {}", size, kMostOnPage));
  return size == 0 ? kDefaultPage : size;
}

// "6:node103:abc": each word after its length; nothing for what is not of that form.
std::optional<std::vector<std::string>> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::optional<std::size_t> size = ParseNumber<std::size_t>(text.substr(0, colon));
    text.remove_prefix(colon + 1);
    if (!size || *size > text.size()) return std::nullopt;
    words.emplace_back(text.substr(0, *size));
    text.remove_prefix(*size);
  }
  return words;
}

// Nothing: the token is none of this question, or has not just so many words.
std::optional<std::vector<std::string>> ReadWords(const std::string& token, const std::string& question,
                                                  std::size_t count) {
  if (token.size() > kMostTokenBytes) return std::nullopt;
  const std::optional<std::string> text = OpenSealed(token, question);
  if (!text) return std::nullopt;
  std::optional<std::vector<std::string>> words = WordsOf(*text);
  if (!words || words->size() != count) return std::nullopt;
  return words;
}

// The row may be one that the caller may not see: he is not to read it, nor to see how long its names are.
absl::StatusOr<std::string> WriteWords(const std::vector<std::string>& words, const std::string& question) {
  std::string text;
  for (const std::string& word : words) text += fmt::format("{}:{}", word.size(), word);
  return SealText(text, question);
}

}  // namespace

absl::StatusOr<Page> ReadPage(std::uint32_t size, const std::string& token, const std::string& question) {
  Page page;
  RR_ASSIGN_OR_RETURN(page.count, RowsOnPage(size));
  if (token.empty()) return page;
  const std::size_t dash = token.find('-');
  const std::string_view digits = std::string_view(token).substr(std::min(dash, token.size() - 1) + 1);
  const std::optional<std::uint64_t> first = ParseNumber<std::uint64_t>(digits);
  if (dash == std::string::npos || !first || token.substr(0, dash) != MarkOf(question)) return NoTokenOfThis();
  page.first = *first;
  return page;
}

std::string NextToken(const Page& page, std::size_t total, const std::string& question) {
  if (page.first >= total || total - page.first <= page.count) return {};
  return fmt::format("{}-{}", MarkOf(question), page.first + page.count);
}

absl::StatusOr<FindingPage> ReadFindingPage(std::uint32_t size, const std::string& token,
                                            const std::string& question) {
  FindingPage page;
  RR_ASSIGN_OR_RETURN(page.count, RowsOnPage(size));
  if (token.empty()) return page;
  const std::optional<std::vector<std::string>> words = ReadWords(token, question, 5);
  if (!words) return NoTokenOfNow();
  page.after = {(*words)[0], (*words)[1], (*words)[2], (*words)[3], (*words)[4]};
  return page;
}

absl::StatusOr<ChangePage> ReadChangePage(std::uint32_t size, const std::string& token,
                                          const std::string& question) {
  ChangePage page;
  RR_ASSIGN_OR_RETURN(page.count, RowsOnPage(size));
  if (token.empty()) return page;
  const std::optional<std::vector<std::string>> words = ReadWords(token, question, 3);
  if (!words) return NoTokenOfNow();
  const auto time = ParseNumber<std::int64_t>((*words)[0]);
  const auto number = ParseNumber<std::uint64_t>((*words)[2]);
  if (!time || !number) return NoTokenOfNow();
  page.after = {*time, (*words)[1], *number};
  return page;
}

absl::StatusOr<PastPage> ReadPastPage(std::uint32_t size, const std::string& token,
                                      const std::string& question) {
  PastPage page;
  RR_ASSIGN_OR_RETURN(page.count, RowsOnPage(size));
  if (token.empty()) return page;
  const std::optional<std::vector<std::string>> words = ReadWords(token, question, 9);
  if (!words) return NoTokenOfNow();
  const auto behind_slower = ParseNumber<std::uint64_t>((*words)[0]);
  const auto share = ParseNumber<std::uint64_t>((*words)[1]);
  page.of = ParseNumber<std::uint64_t>((*words)[8]);
  if (!behind_slower || !share || !page.of) return NoTokenOfNow();
  page.after = {.behind_slower = *behind_slower != 0,
                .share = std::bit_cast<double>(*share),
                .host = (*words)[2],
                .host_id = (*words)[3],
                .port = (*words)[4],
                .case_name = (*words)[5],
                .role = (*words)[6],
                .peer = (*words)[7]};
  return page;
}

absl::StatusOr<TokenPage> ReadTokenPage(std::uint32_t size, const std::string& token,
                                        const std::string& question) {
  TokenPage page;
  RR_ASSIGN_OR_RETURN(page.count, RowsOnPage(size));
  if (token.empty()) return page;
  const std::optional<std::vector<std::string>> words = ReadWords(token, question, 2);
  if (!words) return NoTokenOfNow();
  const auto time = ParseNumber<std::int64_t>((*words)[0]);
  if (!time) return NoTokenOfNow();
  page.after = {*time, (*words)[1]};
  return page;
}

// The share as its bits: it is compared with that of the same row.
absl::StatusOr<std::string> TokenAfter(const std::optional<PastPlace>& place, std::uint64_t of,
                                       const std::string& question) {
  if (!place) return std::string();
  return WriteWords({std::to_string(int{place->behind_slower}),
                     std::to_string(std::bit_cast<std::uint64_t>(place->share)), place->host, place->host_id,
                     place->port, place->case_name, place->role, place->peer, std::to_string(of)},
                    question);
}

absl::StatusOr<std::string> TokenAfter(const TokenPlace& place, const std::string& question) {
  return WriteWords({std::to_string(place.made_unix_ns), place.digest}, question);
}

absl::StatusOr<std::string> TokenAfter(const std::optional<FindingPlace>& place, const std::string& question) {
  if (!place) return std::string();
  return WriteWords({place->host, place->host_id, place->check, place->subject, place->profile}, question);
}

absl::StatusOr<std::string> TokenAfter(const std::optional<ChangePlace>& place, const std::string& question) {
  if (!place) return std::string();
  return WriteWords({std::to_string(place->last_unix_ns), place->host_id, std::to_string(place->number)},
                    question);
}

}  // namespace rdmaready::hub
