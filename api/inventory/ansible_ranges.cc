// SPDX-License-Identifier: Apache-2.0
#include "api/inventory/ansible_ranges.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/inventory/host_list.h"
#include "api/model/split.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostRangeDigits = 18;  // what 64 bits hold, with room for a step

absl::Status TooManyHosts() {
  return absl::InvalidArgumentError(fmt::format("more than {} hosts", kMostListedHosts));
}

// Ansible counts letters as Python orders them: a to z, then A to Z, so that "[y:B]" is y, z, A, B.
constexpr std::string_view kRangeLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::optional<std::uint64_t> LetterPlace(std::string_view text) {
  const std::size_t place = text.size() == 1 ? kRangeLetters.find(text.front()) : std::string_view::npos;
  return place == std::string_view::npos ? std::nullopt : std::optional<std::uint64_t>(place);
}

std::optional<std::uint64_t> RangeNumber(std::string_view text) {
  return text.size() <= kMostRangeDigits ? ParseNumber<std::uint64_t>(text) : std::nullopt;
}

// "01:50", "a:f", "1:10:2": what stands between the brackets.
struct AnsibleRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t step = 1;
  std::size_t width = 0;  // of its numbers, with their zeros; 0: they are places in kRangeLetters
};

std::optional<AnsibleRange> ReadAnsibleRange(std::string_view inside) {
  std::vector<std::string_view> parts = Split(inside, ':');
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  if (parts.front().empty()) parts.front() = "0";  // as in Ansible: "[:5]" begins at 0
  if (parts.size() == 2) parts.emplace_back("1");
  const bool letters = LetterPlace(parts[0]).has_value();
  const std::optional<std::uint64_t> first = letters ? LetterPlace(parts[0]) : RangeNumber(parts[0]);
  const std::optional<std::uint64_t> last = letters ? LetterPlace(parts[1]) : RangeNumber(parts[1]);
  const std::optional<std::uint64_t> step = RangeNumber(parts[2]);
  if (!first || !last || step.value_or(0) == 0) return std::nullopt;
  return AnsibleRange{.first = *first, .last = *last, .step = *step, .width = letters ? 0 : parts[0].size()};
}

absl::StatusOr<std::vector<std::string>> ExpandAnsibleRange(std::string_view inside) {
  const AnsibleRange range = ReadAnsibleRange(inside).value_or(AnsibleRange{.step = 0});
  if (range.step == 0)
    return absl::InvalidArgumentError(fmt::format("'[{}]': ranges are [01:50], [a:f] or [1:10:2]", inside));
  // Ansible takes a range of numbers that runs backwards for no host at all: a fleet would shrink unseen.
  if (range.last < range.first)
    return absl::InvalidArgumentError(fmt::format("the range [{}] ends before it begins", inside));
  if ((range.last - range.first) / range.step >= kMostListedHosts) return TooManyHosts();
  std::vector<std::string> items;
  for (std::uint64_t at = range.first; at <= range.last; at += range.step)
    items.push_back(range.width == 0 ? std::string(1, kRangeLetters[at])
                                     : fmt::format("{:0{}}", at, range.width));
  return items;
}

// Every range of Ansible's written out. Brackets without a colon, and those of an address, stay as they are.
absl::StatusOr<std::vector<std::string>> WithoutAnsibleRanges(std::string_view pattern) {
  std::vector<std::string> done{""};
  const std::size_t from = BeginsWithBracketedAddress(pattern) ? pattern.find(']') : 0;
  std::size_t copied = 0;
  for (std::size_t open = pattern.find('[', from); open != std::string_view::npos;
       open = pattern.find('[', open + 1)) {
    const std::size_t close = pattern.find(']', open);
    if (close == std::string_view::npos) break;
    const std::string_view inside = pattern.substr(open + 1, close - open - 1);
    if (inside.find(':') == std::string_view::npos) continue;
    RR_ASSIGN_OR_RETURN(const std::vector<std::string> items, ExpandAnsibleRange(inside));
    if (done.size() * items.size() > kMostListedHosts) return TooManyHosts();
    std::vector<std::string> longer;
    for (const std::string& begun : done) {
      for (const std::string& item : items)
        longer.push_back(begun + std::string(pattern.substr(copied, open - copied)) + item);
    }
    done = std::move(longer);
    copied = close + 1;
  }
  for (std::string& name : done) name += pattern.substr(copied);
  return done;
}

// "node02:2222" as "node02": the port is that of ssh.
std::string_view WithoutPort(std::string_view pattern) {
  const std::size_t close = pattern.rfind(']');
  const std::size_t colon = pattern.find(':', close == std::string_view::npos ? 0 : close);
  if (colon == std::string_view::npos || colon != pattern.rfind(':')) return pattern;
  const bool port = pattern.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  return port ? pattern.substr(0, colon) : pattern;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandAnsibleHosts(std::string_view pattern) {
  RR_ASSIGN_OR_RETURN(const std::vector<std::string> lists, WithoutAnsibleRanges(WithoutPort(pattern)));
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    RR_ASSIGN_OR_RETURN(const std::vector<std::string> more, ExpandHosts(list));
    if (names.size() + more.size() > kMostListedHosts) return TooManyHosts();
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

}  // namespace rdmaready
