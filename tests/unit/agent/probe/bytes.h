// SPDX-License-Identifier: Apache-2.0
// Bytes written as people write them, and copies that a sanitizer watches to their last byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "api/base/octets.h"

namespace rdmaready {

// "7f 40 0102": pairs of hexadecimal digits; blanks do not count.
inline std::vector<std::byte> Hex(std::string_view text) {
  const auto digit = [](char letter) { return letter <= '9' ? letter - '0' : letter - 'a' + 10; };
  std::vector<std::byte> bytes;
  int high = -1;
  for (const char letter : text) {
    if (letter == ' ' || letter == '\n') continue;
    if (high < 0) {
      high = digit(letter);
    } else {
      bytes.push_back(static_cast<std::byte>(high * 16 + digit(letter)));
      high = -1;
    }
  }
  return bytes;
}

// On the heap and no byte longer, so that a sanitizer sees a read behind the end.
class Exact {
 public:
  Exact(Octets bytes, std::size_t size) : size_(size), bytes_(std::make_unique<std::byte[]>(size)) {
    std::copy_n(bytes.begin(), size, bytes_.get());
  }
  explicit Exact(Octets bytes) : Exact(bytes, bytes.size()) {}
  Octets bytes() const { return {bytes_.get(), size_}; }

 private:
  const std::size_t size_;
  const std::unique_ptr<std::byte[]> bytes_;
};

inline std::vector<std::byte> Sub(Octets bytes, std::size_t at, std::size_t size) {
  const Octets part = bytes.subspan(at, size);
  return {part.begin(), part.end()};
}

}  // namespace rdmaready
