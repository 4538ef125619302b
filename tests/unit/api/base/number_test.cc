// SPDX-License-Identifier: Apache-2.0
#include "api/base/number.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "api/base/number_ranges.h"

namespace rdmaready {
namespace {

TEST(ParseNumber, TakesDigitsAlone) {
  EXPECT_EQ(ParseNumber<std::uint8_t>("255"), 255);
  EXPECT_EQ(ParseNumber<int>("-5"), -5);
  EXPECT_EQ(ParseNumber<std::uint32_t>("007"), 7u);
  EXPECT_EQ(ParseNumber<std::uint16_t>("fFfF", 16), 0xffff);
}

TEST(ParseNumber, RefusesEverythingElse) {
  for (const char* text : {"", " ", " 1", "1 ", "1\n", "+1", "-1", "- 1", "0x1", "1e1", "1.0", "256", "300", "a"})
    EXPECT_FALSE(ParseNumber<std::uint8_t>(text)) << text;
  EXPECT_FALSE(ParseNumber<std::uint64_t>("18446744073709551616"));
  EXPECT_FALSE(ParseNumber<std::uint32_t>("0x1f", 16));
  EXPECT_FALSE(ParseNumber<std::int32_t>("--1"));
}

TEST(TakeNumber, LeavesWhatFollows) {
  std::string_view text = "12.5 GT/s";
  EXPECT_EQ(TakeNumber<std::uint32_t>(text), 12u);
  EXPECT_EQ(text, ".5 GT/s");
  EXPECT_EQ(TakeNumber<std::uint32_t>(text), std::nullopt);
  EXPECT_EQ(text, ".5 GT/s") << "unchanged";
}

TEST(ParseNumberRanges, TakesListsOfTheKernel) {
  const auto ranges = ParseNumberRanges("0-2,8", 16);
  ASSERT_TRUE(ranges);
  ASSERT_EQ(ranges->size(), 2u);
  EXPECT_EQ(ranges->front().last, 2u);
  EXPECT_EQ(ranges->back().first, 8u);
  for (const char* text : {"", "0,", ",0", "0-", "-1", "2-1", "0-16", "16", "0 1", "0-1-2", "x"})
    EXPECT_FALSE(ParseNumberRanges(text, 16)) << text;
}

}  // namespace
}  // namespace rdmaready
