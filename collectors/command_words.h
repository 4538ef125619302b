// SPDX-License-Identifier: Apache-2.0
// Words of a shell's command line, as collectors/commands.cc reads them. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
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

// The command that is started by programs which start their arguments: "timeout 5 nice /opt/a.sh" is
// "/opt/a.sh". Options that are left of "sudo" or "env" are taken off as well. Empty: none is started.
std::span<const std::string> WithoutStarters(std::span<const std::string> command);

// The lines of a unit or of udev's rules: a line that ends with a backslash goes on in the next one, after
// `between`. Comments are left out.
std::string WithWholeLines(std::string_view text, std::string_view between);

// ---- RDMA-CM's default ToS ----

inline constexpr std::string_view kTosFile = "default_roce_tos";

// Whether a line that is not a comment holds the name of that file.
bool HoldsTosFile(std::string_view text);

// The number that the command writes to its output, or `piped` where it passes its input on; "*" where that is
// not known. A number with a leading zero is octal for the kernel, and is not known either.
std::string WrittenNumber(std::span<const std::string> command, std::string_view piped);

// "mlx5_0/1" of the file's path, "mlx5_0" where its port is not known, and "*" where the device is not.
std::string TosObject(std::string_view path);

}  // namespace rdmaready
