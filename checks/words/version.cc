// SPDX-License-Identifier: Apache-2.0
#include "checks/words/version.h"

#include <algorithm>
#include <cstdint>

namespace rdmaready {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view Head(std::string_view version) { return version.substr(0, version.find_first_of(" /\t")); }

// The next number of `rest`, which is shortened by it. Numbers too long for any version stay at the largest.
std::uint64_t TakeNumber(std::string_view& rest) {
  constexpr std::uint64_t kLargest = 1ULL << 59;
  while (!rest.empty() && !IsDigit(rest.front())) rest.remove_prefix(1);
  std::uint64_t number = 0;
  for (; !rest.empty() && IsDigit(rest.front()); rest.remove_prefix(1))
    number = std::min(number * 10 + static_cast<std::uint64_t>(rest.front() - '0'), kLargest);
  return number;
}

}  // namespace

int CompareVersions(std::string_view a, std::string_view b) {
  a = Head(a);
  b = Head(b);
  while (!a.empty() || !b.empty()) {
    const std::uint64_t left = TakeNumber(a);
    const std::uint64_t right = TakeNumber(b);
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

bool IsVersion(std::string_view text) { return !text.empty() && IsDigit(text.front()); }

}  // namespace rdmaready
