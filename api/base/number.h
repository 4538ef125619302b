// SPDX-License-Identifier: Apache-2.0
// Numbers in text, read strictly: digits alone, with a minus sign for signed types. A blank, a plus sign or
// "0x" is not part of a number, and neither is one that the type cannot hold.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace rdmaready {

// The number that `text` begins with, which is removed from it. Nothing when there is none; `text` is
// unchanged then.
template <std::integral T>
std::optional<T> TakeNumber(std::string_view& text, int base = 10) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The number that is the whole text.
template <std::integral T>
std::optional<T> ParseNumber(std::string_view text, int base = 10) {
  const std::optional<T> number = TakeNumber<T>(text, base);
  return text.empty() ? number : std::nullopt;
}

}  // namespace rdmaready
