// SPDX-License-Identifier: Apache-2.0
// Splitter: one byte string as what happens to the answers of a host, question by question. Deterministic; when
// the bytes are used up, every answer is as it was.
//
// A byte of two and six bits, kind and number, stands before each change:
//   skip N     the next N + 1 answers are as they were
//   fail N     the next one is an error of the N-th kind
//   edit N     N + 1 bytes of the next one are others: two bytes of place, one of value each; with the highest
//   N
//              it is cut to the length of the two bytes that follow
//   replace N  the next one is 4 * N bytes that follow
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rdmaready::fuzz {

enum class ChangeKind : std::uint8_t { kSkip = 0, kFail = 1, kEdit = 2, kReplace = 3 };
inline constexpr std::uint8_t kNumbers = 64;
inline constexpr std::array<int, 8> kErrors{ENOENT, EACCES, EOPNOTSUPP, EINVAL, EIO, ENODEV, EPERM, EINTR};

inline std::uint8_t Control(ChangeKind kind, std::uint8_t number) {
  return static_cast<std::uint8_t>((static_cast<unsigned>(kind) << 6U) | (number % kNumbers));
}

class Splitter {
 public:
  explicit Splitter(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  // What becomes of the next answer: 0 when *answer is it, else an errno.
  template <class Bytes>
  int Change(Bytes* answer) {
    if (skip_ > 0) {
      --skip_;
      return 0;
    }
    if (bytes_.empty()) return 0;
    const std::uint8_t control = Next();
    const std::uint8_t number = control % kNumbers;
    switch (static_cast<ChangeKind>(control / kNumbers)) {
      case ChangeKind::kSkip:
        skip_ = number;
        return 0;
      case ChangeKind::kFail:
        return kErrors[number % kErrors.size()];
      case ChangeKind::kEdit:
        Edit(number, answer);
        return 0;
      case ChangeKind::kReplace:
        Replace(std::size_t{4} * number, answer);
        return 0;
    }
    return 0;
  }

 private:
  std::uint8_t Next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  std::size_t Place() {
    const std::size_t low = Next();
    return low + std::size_t{Next()} * 256;
  }

  template <class Bytes>
  void Edit(std::uint8_t number, Bytes* answer) {
    if (number == kNumbers - 1) return answer->resize(std::min(answer->size(), Place()));
    for (unsigned edits = 0; edits <= number && !bytes_.empty(); ++edits) {
      const std::size_t place = Place();
      const std::uint8_t value = Next();
      if (!answer->empty()) (*answer)[place % answer->size()] = static_cast<typename Bytes::value_type>(value);
    }
  }

  template <class Bytes>
  void Replace(std::size_t size, Bytes* answer) {
    answer->clear();
    for (std::size_t i = 0; i < size && !bytes_.empty(); ++i)
      answer->push_back(static_cast<typename Bytes::value_type>(Next()));
  }

  std::span<const std::uint8_t> bytes_;
  unsigned skip_ = 0;
};

}  // namespace rdmaready::fuzz
