// SPDX-License-Identifier: Apache-2.0
// NumberedMessage: what the two ends of a path say of numbered writes: the initiator that a write has landed,
// the responder that it is in the log. Each is answered by the same message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "absl/status/statusor.h"
#include "agent/link/link.h"
#include "agent/transfer/pattern.h"

namespace rdmaready {

inline constexpr std::uint64_t kNoNumber = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kMostGenerations = 256;

struct NumberedMessage {
  std::uint64_t number = kNoNumber;  // of the write; kNoNumber: there is only a slot to look at
  std::uint64_t lowest = 0;          // no lower number is under way on any path
  std::uint32_t generation = 0;      // how often it was given back before; below kMostGenerations
  std::uint32_t slot = kNoSlot;      // of memory, where it was written
  std::uint32_t look_at = kNoSlot;   // a slot that has to hold its write still; kNoSlot: none

  bool operator==(const NumberedMessage&) const = default;
};

inline constexpr std::uint32_t kNumberedMessageBytes = 40;

// The number of the payload (Pattern): every write and generation has its own.
constexpr std::uint64_t PayloadOf(std::uint64_t number, std::uint32_t generation) {
  return number * kMostGenerations + generation;
}

// `to` has kNumberedMessageBytes. `from` says it.
void EncodeNumbered(const NumberedMessage& message, Role from, const Pattern& pattern, std::span<std::byte> to);

// kCorrupt: it has another size, is damaged, or is of another run.
absl::StatusOr<NumberedMessage> DecodeNumbered(std::span<const std::byte> bytes, Role from,
                                               const Pattern& pattern);

}  // namespace rdmaready
