// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/numbered_message.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "agent/link/failure.h"

namespace rdmaready {
namespace {

// Little-endian words; the last one authenticates the others.
using Words = std::array<std::uint64_t, 5>;
static_assert(sizeof(Words) == kNumberedMessageBytes);

std::uint64_t LittleEndianWord(std::uint64_t value) {
  if constexpr (std::endian::native == std::endian::big) return __builtin_bswap64(value);
  return value;
}

std::uint64_t TagOfWords(const Words& words, Role from, const Pattern& pattern) {
  const std::uint64_t sender = from == Role::kInitiator ? 0 : 1;
  return pattern.Tag(pattern.Tag(words[0], words[1]), pattern.Tag(words[2], words[3] * 2 + sender));
}

}  // namespace

void EncodeNumbered(const NumberedMessage& message, Role from, const Pattern& pattern,
                    std::span<std::byte> to) {
  Words words{message.number, message.lowest, std::uint64_t{message.generation} << 32 | message.slot,
              message.look_at};
  words[4] = TagOfWords(words, from, pattern);
  for (std::uint64_t& word : words) word = LittleEndianWord(word);
  std::memcpy(to.data(), words.data(), kNumberedMessageBytes);
}

absl::StatusOr<NumberedMessage> DecodeNumbered(std::span<const std::byte> bytes, Role from,
                                               const Pattern& pattern) {
  if (bytes.size() != kNumberedMessageBytes) {
    return MakeFailure(FailureKind::kCorrupt,
                       fmt::format("a message about a numbered write arrived with {} bytes instead of {}",
                                   bytes.size(), kNumberedMessageBytes));
  }
  Words words{};
  std::memcpy(words.data(), bytes.data(), kNumberedMessageBytes);
  for (std::uint64_t& word : words) word = LittleEndianWord(word);
  const NumberedMessage message{.number = words[0],
                                .lowest = words[1],
                                .generation = static_cast<std::uint32_t>(words[2] >> 32),
                                .slot = static_cast<std::uint32_t>(words[2]),
                                .look_at = static_cast<std::uint32_t>(words[3])};
  if (words[4] != TagOfWords(words, from, pattern) || message.generation >= kMostGenerations)
    return MakeFailure(FailureKind::kCorrupt, "a message about a numbered write arrived damaged");
  return message;
}

}  // namespace rdmaready
