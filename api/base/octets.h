// SPDX-License-Identifier: Apache-2.0
// Octets: fields of wire formats, read and written byte by byte, whatever the alignment and the host's order.
//
// Callers have compared `at` plus the field's size with the size of the bytes.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rdmaready {

using Octets = std::span<const std::byte>;
using MutableOctets = std::span<std::byte>;

// Of `size` bytes, at most 8.
inline std::uint64_t GetLittle(Octets bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = (value << 8) | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

inline std::uint64_t GetBig(Octets bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = (value << 8) | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

template <std::unsigned_integral T>
T GetLittle(Octets bytes, std::size_t at) {
  return static_cast<T>(GetLittle(bytes, at, sizeof(T)));
}

template <std::unsigned_integral T>
T GetBig(Octets bytes, std::size_t at) {
  return static_cast<T>(GetBig(bytes, at, sizeof(T)));
}

template <std::unsigned_integral T>
void PutLittle(MutableOctets bytes, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[at + i] = static_cast<std::byte>((std::uint64_t{value} >> (8 * i)) & 0xff);
}

template <std::unsigned_integral T>
void PutBig(MutableOctets bytes, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[at + i] = static_cast<std::byte>((std::uint64_t{value} >> (8 * (sizeof(T) - 1 - i))) & 0xff);
}

// What does not fit is cut.
inline void PutText(MutableOctets bytes, std::size_t at, std::size_t field_bytes, std::string_view text) {
  const std::size_t size = std::min(field_bytes, text.size());
  for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<std::byte>(text[i]);
}

// A field that holds text, up to its first zero byte and without the blanks it ends with. Every byte that is
// not printable ASCII becomes '?': the other side chose them, and a terminal will show them.
inline std::string GetText(Octets bytes, std::size_t at, std::size_t field_bytes) {
  std::string text;
  for (std::size_t i = 0; i < field_bytes && bytes[at + i] != std::byte{0}; ++i) {
    const char letter = static_cast<char>(bytes[at + i]);
    text.push_back(letter >= ' ' && letter <= '~' ? letter : '?');
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace rdmaready
