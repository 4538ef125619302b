// SPDX-License-Identifier: Apache-2.0
#include "api/inventory/host_list.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "api/base/number.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kMostDigits = 18;

absl::Status BadList(std::string_view list, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("host list '{}': {}", list, why));
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() <= kMostDigits &&
         text.find_first_not_of(kDigits) == std::string_view::npos;
}

std::string Padded(std::uint64_t number, std::size_t width) { return fmt::format("{:0{}}", number, width); }

// "1,3,5-7": each number as it is written.
absl::StatusOr<std::vector<std::string>> Numbers(std::string_view inside, std::string_view list) {
  std::vector<std::string> numbers;
  while (true) {
    const std::size_t comma = std::min(inside.find(','), inside.size());
    const std::string_view part = inside.substr(0, comma);
    const std::size_t dash = part.find('-');
    const std::string_view low = part.substr(0, dash);
    const std::string_view high = dash == std::string_view::npos ? low : part.substr(dash + 1);
    if (!IsNumber(low) || !IsNumber(high))
      return BadList(list, fmt::format("'{}' is no number and no range of numbers, like 1-128", part));
    const std::uint64_t first = ParseNumber<std::uint64_t>(low).value_or(0);
    const std::uint64_t last = ParseNumber<std::uint64_t>(high).value_or(0);
    if (last < first) return BadList(list, fmt::format("the range {} ends before it begins", part));
    // Over all ranges, and before any number is made: a line of ranges may ask for more than memory holds.
    if (last - first >= kMostListedHosts - numbers.size())
      return BadList(list, fmt::format("more than {} hosts", kMostListedHosts));
    for (std::uint64_t number = first; number <= last; ++number) numbers.push_back(Padded(number, low.size()));
    if (comma == inside.size()) return numbers;
    inside.remove_prefix(comma + 1);
  }
}

// A name as one of its numbers sees it.
struct Numbered {
  std::string before{};
  std::string digits{};
  std::string after{};
};

std::vector<Numbered> Readings(const std::string& name) {
  std::vector<Numbered> readings;
  for (std::size_t begin = name.find_first_of(kDigits); begin != std::string::npos;) {
    const std::size_t end = std::min(name.find_first_not_of(kDigits, begin), name.size());
    if (end - begin <= kMostDigits)
      readings.push_back({name.substr(0, begin), name.substr(begin, end - begin), name.substr(end)});
    begin = name.find_first_of(kDigits, end);
  }
  return readings;
}

using Around = std::pair<std::string, std::string>;

// Names that differ in one number.
struct Bracket {
  Around around{};
  std::vector<std::string> numbers{};  // as they are written; empty: a name without any, `around.first`

  std::string Text() {
    if (numbers.empty()) return around.first;
    std::ranges::sort(numbers, {}, [](const std::string& text) {
      return std::pair(ParseNumber<std::uint64_t>(text).value_or(0), text.size());
    });
    std::string inside;
    for (std::size_t i = 0; i < numbers.size();) {
      std::size_t end = i;
      std::uint64_t number = ParseNumber<std::uint64_t>(numbers[i]).value_or(0);
      while (end + 1 < numbers.size() && numbers[end + 1] == Padded(number + 1, numbers[i].size())) {
        ++end;
        ++number;
      }
      inside += (inside.empty() ? "" : ",") + numbers[i] + (end > i ? "-" + numbers[end] : "");
      i = end + 1;
    }
    const std::string shown = numbers.size() == 1 ? inside : "[" + inside + "]";
    return around.first + shown + around.second;
  }
};

}  // namespace

bool BeginsWithBracketedAddress(std::string_view word) {
  if (!word.starts_with('[')) return false;
  const std::size_t close = word.find(']');
  if (close == std::string_view::npos) return false;
  const std::string_view inside = word.substr(1, close - 1);
  const std::string address(inside.substr(0, inside.find('%')));  // inet_pton knows no zones
  in6_addr parsed{};
  return ::inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
}

absl::StatusOr<std::vector<std::string>> ExpandHosts(std::string_view list) {
  std::vector<std::string> done{""};
  std::string_view rest = list;
  while (!list.starts_with("unix:") && !rest.empty()) {
    const std::size_t open = rest.find('[');
    if (open == std::string_view::npos) break;
    const std::size_t close = rest.find(']', open);
    if (close == std::string_view::npos) return BadList(list, "'[' without ']'");
    const std::string_view inside = rest.substr(open + 1, close - open - 1);
    std::vector<std::string> middles;
    if (rest.size() == list.size() && BeginsWithBracketedAddress(rest)) {
      middles.push_back("[" + std::string(inside) + "]");
    } else {
      RR_ASSIGN_OR_RETURN(middles, Numbers(inside, list));
    }
    if (done.size() * middles.size() > kMostListedHosts)
      return BadList(list, fmt::format("more than {} hosts", kMostListedHosts));
    std::vector<std::string> longer;
    for (const std::string& begun : done) {
      for (const std::string& middle : middles)
        longer.push_back(begun + std::string(rest.substr(0, open)) + middle);
    }
    done = std::move(longer);
    rest.remove_prefix(close + 1);
  }
  for (std::string& name : done) name += rest;
  return done;
}

std::string FoldHosts(const std::vector<std::string>& names) {
  std::map<Around, std::set<std::string>> sharing;
  for (const std::string& name : names) {
    for (const Numbered& one : Readings(name)) sharing[{one.before, one.after}].insert(one.digits);
  }
  std::vector<Bracket> brackets;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) continue;
    Numbered best{.before = name};
    std::size_t most = 0;
    for (const Numbered& one : Readings(name)) {
      const std::size_t sharers = sharing[{one.before, one.after}].size();
      if (sharers < most) continue;
      most = sharers;
      best = one;
    }
    const Around around{best.before, best.after};
    auto bracket = std::ranges::find_if(brackets, [&](const Bracket& other) {
      return other.around == around && other.numbers.empty() == (most == 0);
    });
    if (bracket == brackets.end()) bracket = brackets.insert(brackets.end(), Bracket{.around = around});
    if (most > 0) bracket->numbers.push_back(best.digits);
  }
  std::string text;
  for (Bracket& bracket : brackets) text += (text.empty() ? "" : ", ") + bracket.Text();
  return text;
}

}  // namespace rdmaready
