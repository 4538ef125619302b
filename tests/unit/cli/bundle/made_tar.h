// SPDX-License-Identifier: Apache-2.0
// Tars as a stranger makes them.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace rdmaready::bundle {

inline constexpr std::size_t kTestBlock = 512;
inline constexpr std::size_t kNameAt = 0;
inline constexpr std::size_t kSizeAt = 124;
inline constexpr std::size_t kSumAt = 148;
inline constexpr std::size_t kTypeAt = 156;
inline constexpr std::size_t kLinkAt = 157;

// Makes the checksum of the header at `at` right again.
inline void Sum(std::string& tar, std::size_t at = 0) {
  tar.replace(at + kSumAt, 8, 8, ' ');
  unsigned sum = 0;
  for (std::size_t i = 0; i < kTestBlock; ++i) sum += static_cast<unsigned char>(tar[at + i]);
  std::string digits(6, '0');
  for (std::size_t i = digits.size(); i > 0; --i, sum /= 8) digits[i - 1] = static_cast<char>('0' + sum % 8);
  tar.replace(at + kSumAt, 8, digits + std::string("\0 ", 2));
}

inline void Overwrite(std::string& tar, std::size_t at, std::string_view bytes) {
  tar.replace(at, bytes.size(), bytes);
}

}  // namespace rdmaready::bundle
