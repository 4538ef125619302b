// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/pattern.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace rdmaready {
namespace {

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;  // odd, so that no word of a message comes twice
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kWordsPerBlock = 8;
constexpr std::size_t kBlock = kWordsPerBlock * kWord;

// The finalizer of SplitMix64: every input bit reaches every output bit.
constexpr std::uint64_t Mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

constexpr std::uint64_t InLittleEndian(std::uint64_t value) {
  if constexpr (std::endian::native == std::endian::big) return __builtin_bswap64(value);
  return value;
}

std::uint64_t Load(const std::uint8_t* from) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, kWord);
  return InLittleEndian(value);
}

}  // namespace

Pattern::Pattern(const Nonce& nonce) : key_{Load(nonce.data()), Load(nonce.data() + kWord)} {}

Pattern::Stream Pattern::StreamOf(std::uint64_t number) const {
  return {.start = Mix(key_[0] ^ Mix(key_[1] + Mix(number))), .mask = Mix(key_[1] ^ Mix(key_[0] + number))};
}

std::uint64_t Pattern::Tag(std::uint64_t first, std::uint64_t second) const {
  return Mix(key_[0] + Mix(first ^ Mix(key_[1] ^ Mix(second))));
}

// Word j of message m is (start(m) + j * step) ^ mask(m): one add, one exclusive or and one store for
// eight bytes.
void Pattern::Fill(std::span<std::byte> message, std::uint64_t number) const {
  const Stream stream = StreamOf(number);
  std::uint64_t value = stream.start;
  std::byte* to = message.data();
  std::size_t left = message.size();
  for (; left >= kBlock; left -= kBlock, to += kBlock) {
    std::uint64_t block[kWordsPerBlock];
    for (std::size_t i = 0; i < kWordsPerBlock; ++i)
      block[i] = InLittleEndian((value + i * kStep) ^ stream.mask);
    std::memcpy(to, block, kBlock);
    value += kWordsPerBlock * kStep;
  }
  while (left > 0) {
    const std::uint64_t word = InLittleEndian(value ^ stream.mask);
    const std::size_t bytes = std::min(left, kWord);
    std::memcpy(to, &word, bytes);
    value += kStep;
    to += bytes;
    left -= bytes;
  }
}

Pattern::Wrong Pattern::Verify(std::span<const std::byte> message, std::uint64_t number) const {
  const Stream stream = StreamOf(number);
  Wrong wrong;
  std::uint64_t value = stream.start;
  for (std::size_t at = 0; at < message.size(); at += kBlock, value += kWordsPerBlock * kStep) {
    const std::size_t bytes = std::min(kBlock, message.size() - at);
    std::uint64_t block[kWordsPerBlock];
    if (bytes == kBlock) {
      std::memcpy(block, message.data() + at, kBlock);
      std::uint64_t difference = 0;
      for (std::size_t i = 0; i < kWordsPerBlock; ++i) {
        difference |= block[i] ^ InLittleEndian((value + i * kStep) ^ stream.mask);
      }
      if (difference == 0) continue;
    }
    for (std::size_t i = 0; i < kWordsPerBlock; ++i)
      block[i] = InLittleEndian((value + i * kStep) ^ stream.mask);
    std::byte expected[kBlock];
    std::memcpy(expected, block, kBlock);
    for (std::size_t i = 0; i < bytes; ++i) {
      if (message[at + i] == expected[i]) continue;
      if (!wrong.first_offset) wrong.first_offset = at + i;
      ++wrong.bytes;
    }
  }
  return wrong;
}

}  // namespace rdmaready
