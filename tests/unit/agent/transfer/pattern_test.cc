// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace rdmaready {
namespace {

constexpr Nonce kPatternNonce = {9, 8, 7, 6, 5, 4, 3, 2, 1};

std::vector<std::byte> Filled(const Pattern& pattern, std::size_t bytes, std::uint64_t number) {
  std::vector<std::byte> message(bytes);
  pattern.Fill(message, number);
  return message;
}

TEST(Pattern, VerifiesWhatItFilledAtEveryLength) {
  const Pattern pattern(kPatternNonce);
  for (std::size_t bytes = 0; bytes < 300; ++bytes) {
    const auto message = Filled(pattern, bytes, bytes);
    const Pattern::Wrong wrong = pattern.Verify(message, bytes);
    EXPECT_EQ(wrong.bytes, 0u) << bytes;
    EXPECT_FALSE(wrong.first_offset);
  }
}

TEST(Pattern, FindsEverySingleWrongByte) {
  const Pattern pattern(kPatternNonce);
  auto message = Filled(pattern, 201, 3);
  for (std::size_t i = 0; i < message.size(); ++i) {
    message[i] ^= std::byte{1};
    const Pattern::Wrong wrong = pattern.Verify(message, 3);
    EXPECT_EQ(wrong.bytes, 1u);
    EXPECT_EQ(wrong.first_offset, i);
    message[i] ^= std::byte{1};
  }
}

TEST(Pattern, CountsAllWrongBytesAndNamesTheFirst) {
  const Pattern pattern(kPatternNonce);
  auto message = Filled(pattern, 1000, 3);
  for (const std::size_t i : {999u, 500u, 130u, 131u}) message[i] ^= std::byte{0xff};
  const Pattern::Wrong wrong = pattern.Verify(message, 3);
  EXPECT_EQ(wrong.bytes, 4u);
  EXPECT_EQ(wrong.first_offset, 130u);
}

TEST(Pattern, DiffersFromMessageToMessageAndFromNonceToNonce) {
  const Pattern pattern(kPatternNonce);
  Nonce other = kPatternNonce;
  other[15] ^= 1;
  for (std::uint64_t number = 0; number < 100; ++number) {
    const auto message = Filled(pattern, 4096, number);
    EXPECT_GT(pattern.Verify(message, number + 1).bytes, 3800u);
    EXPECT_GT(Pattern(other).Verify(message, number).bytes, 3800u);
  }
}

TEST(Pattern, ShowsWordsThatMoved) {
  const Pattern pattern(kPatternNonce);
  auto message = Filled(pattern, 4096, 3);
  std::rotate(message.begin(), message.begin() + 8, message.end());
  EXPECT_GT(pattern.Verify(message, 3).bytes, 3000u);
}

TEST(Pattern, IsTheSameForEver) {  // two releases must be able to test each other
  const auto message = Filled(Pattern(kPatternNonce), 8, 1);
  const auto again = Filled(Pattern(kPatternNonce), 4096, 1);
  EXPECT_TRUE(std::ranges::equal(message, std::span(again).first(8)));
  EXPECT_EQ(Pattern(kPatternNonce).Tag(1, 2), Pattern(kPatternNonce).Tag(1, 2));
  EXPECT_NE(Pattern(kPatternNonce).Tag(1, 2), Pattern(kPatternNonce).Tag(2, 1));
}

}  // namespace
}  // namespace rdmaready
