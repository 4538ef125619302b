// SPDX-License-Identifier: Apache-2.0
// Words of a shell's command line, as collectors/commands.cc reads them. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace rdmaready {

inline bool IsNameByte(char one) {
  return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') || one == '_';
}

inline bool IsPlain(std::string_view word) {
  return std::ranges::all_of(word, [](char one) {
    return IsNameByte(one) || std::string_view("-.,:/=*+@$").find(one) != std::string_view::npos;
  });
}

// "NAME" of "NAME=value"; empty: the word assigns nothing.
inline std::string_view AssignedName(std::string_view word) {
  const std::size_t end = word.find('=');
  if (end == std::string_view::npos || end == 0 || (word[0] >= '0' && word[0] <= '9')) return {};
  const std::string_view name = word.substr(0, end);
  return std::ranges::all_of(name, IsNameByte) ? name : std::string_view();
}

inline bool IsNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// The size of a text in brackets, from its '(' to its ')'.
inline std::size_t SizeOfBrackets(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return text.size();
}

}  // namespace rdmaready
