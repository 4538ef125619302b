// SPDX-License-Identifier: Apache-2.0
// Pattern: the payload of a live test, keyed by the nonce and the message's number, so that every message of
// every test differs: stale, misplaced, swapped and injected bytes all show. It is a checksum's cousin, not
// a cipher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "api/model/peer_message.h"

namespace rdmaready {

class Pattern {
 public:
  struct Wrong {
    std::uint64_t bytes = 0;                      // that differ
    std::optional<std::uint64_t> first_offset{};  // from the start of the message
  };

  explicit Pattern(const Nonce& nonce);

  // Fills `message` with the payload of message `number`. The bytes are the same on hosts of either byte order.
  void Fill(std::span<std::byte> message, std::uint64_t number) const;

  // Compares every byte with what Fill(number) writes.
  Wrong Verify(std::span<const std::byte> message, std::uint64_t number) const;

  // 64 bits that authenticate a notice: depend on the nonce and on both values.
  std::uint64_t Tag(std::uint64_t first, std::uint64_t second) const;

 private:
  struct Stream {
    std::uint64_t start;
    std::uint64_t mask;
  };
  Stream StreamOf(std::uint64_t number) const;

  std::uint64_t key_[2];
};

}  // namespace rdmaready
