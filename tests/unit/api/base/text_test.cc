// SPDX-License-Identifier: Apache-2.0
#include "api/base/text.h"

#include <gtest/gtest.h>

#include <array>

#include "api/base/run_id.h"

namespace rdmaready {
namespace {

TEST(Text, WritesBytesInBinaryUnitsOnlyWhenTheyDivide) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1500), "1500 B");
  EXPECT_EQ(BytesText(65536), "64 KiB");
  EXPECT_EQ(BytesText(1 << 20), "1 MiB");
  EXPECT_EQ(BytesText(3ull << 30), "3 GiB");
}

TEST(Text, WritesRatesWithThreeDigits) {
  EXPECT_EQ(RateText(61'234'000), "61.2 MB/s");
  EXPECT_EQ(RateText(612'340'000), "612 MB/s");
  EXPECT_EQ(RateText(12'000'000'000), "12.0 GB/s");
  EXPECT_EQ(RateText(999), "999 B/s");
}

TEST(Text, WritesTimesInTheUnitThatFits) {
  EXPECT_EQ(DurationText(900), "900 ns");
  EXPECT_EQ(DurationText(46'000), "46 us");
  EXPECT_EQ(DurationText(1'300'000), "1.3 ms");
  EXPECT_EQ(DurationText(2'100'000'000), "2.1 s");
}

TEST(Text, WritesLinkSpeeds) {
  EXPECT_EQ(SpeedText(100), "100 Mb/s");
  EXPECT_EQ(SpeedText(2500), "2.5 Gb/s");
  EXPECT_EQ(SpeedText(25000), "25 Gb/s");
}

TEST(Text, WritesHexInLowerCase) { EXPECT_EQ(Hex(std::array<std::uint8_t, 2>{0x0a, 0xff}), "0aff"); }

TEST(Text, TrimsOnlyTheEnd) { EXPECT_EQ(TrimRight(" a b \n\t"), " a b"); }

TEST(Text, MakesOneSafeLineOfForeignText) {
  EXPECT_EQ(SafeLine("a\x1b[2Jb\n\xc2\x9b", 100), "a?[2Jb???");
  EXPECT_EQ(SafeLine("abcdef", 3), "abc");
}

TEST(RunId, DiffersEachTime) { EXPECT_NE(MakeRunId(), MakeRunId()); }

TEST(Text, TimeIsUtc) {
  EXPECT_EQ(UtcText(0), "1970-01-01 00:00:00 UTC");
  EXPECT_EQ(UtcText(1'700'000'000'999'999'999), "2023-11-14 22:13:20 UTC");
}

}  // namespace
}  // namespace rdmaready
