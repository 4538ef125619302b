// SPDX-License-Identifier: Apache-2.0
#include "agent/link/pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Begun {
  TimePoint when{};
  std::uint64_t bytes = 0;  // on the wire
};

// Messages that begin as soon as they may, by queue pairs that all want to, with time that is moved by hand.
std::vector<Begun> BeginAll(Pacer& pacer, const std::vector<std::uint64_t>& sizes, milliseconds time) {
  std::vector<Begun> begun;
  TimePoint now{};
  const TimePoint end = now + time;
  for (std::size_t i = 0; now < end; ++i) {
    const std::uint64_t bytes = sizes[i % sizes.size()];
    while (const auto turn = pacer.Take(bytes, now)) now = *turn;
    begun.push_back({now, WireBytesOf(bytes)});
  }
  return begun;
}

// The most that begins within any second.
std::uint64_t WorstSecond(const std::vector<Begun>& begun) {
  std::uint64_t worst = 0;
  std::uint64_t sum = 0;
  std::size_t first = 0;
  for (const Begun& one : begun) {
    sum += one.bytes;
    for (; begun[first].when + seconds(1) <= one.when; ++first) sum -= begun[first].bytes;
    worst = std::max(worst, sum);
  }
  return worst;
}

TEST(Pacer, TakesFivePercentOfTheRate) {
  EXPECT_EQ(ShareOf(1'000), 6'250'000u);
  EXPECT_EQ(ShareOf(25'000), 156'250'000u);
}

TEST(Pacer, KeepsEverySecondBelowSixPercentOfTheRate) {
  for (const std::uint64_t rate_mbps : {1'000U, 10'000U, 25'000U, 400'000U}) {
    for (const std::vector<std::uint64_t>& sizes :
         {std::vector<std::uint64_t>{64}, {1'024}, {8'192}, {524'288}, {1'048'576}, {64, 1'048'576, 8'192}}) {
      const std::uint64_t limit = ShareOf(rate_mbps);
      if (!FitsShare(*std::ranges::max_element(sizes), limit)) continue;
      if (limit / WireBytesOf(sizes[0]) > 400'000) continue;  // the same arithmetic, and a long test
      Pacer pacer(limit);
      const std::vector<Begun> begun = BeginAll(pacer, sizes, milliseconds(2'500));
      EXPECT_LE(WorstSecond(begun) * 100, rate_mbps * 125'000 * 6) << rate_mbps << " " << sizes[0];
    }
  }
}

TEST(Pacer, UsesMostOfTheLimit) {
  Pacer pacer(ShareOf(1'000));
  std::uint64_t sum = 0;
  for (const Begun& one : BeginAll(pacer, {524'288}, seconds(10))) sum += one.bytes;
  EXPECT_GE(sum, 10 * ShareOf(1'000) * 95 / 100);
}

TEST(Pacer, DoesNotSaveUpTimeInWhichNothingWasSent) {
  Pacer pacer(1'000'000);
  TimePoint now{};
  ASSERT_FALSE(pacer.Take(100'000, now));
  now += seconds(60);
  ASSERT_FALSE(pacer.Take(100'000, now));
  const auto turn = pacer.Take(100'000, now);
  ASSERT_TRUE(turn);
  EXPECT_GE(*turn, now + milliseconds(100));
}

TEST(Pacer, TheSmallerLimitHolds) {
  Pacer pacer(1'000);
  pacer.LowerTo(0);
  EXPECT_EQ(pacer.limit_bytes_per_s(), 1'000u);
  pacer.LowerTo(2'000);
  EXPECT_EQ(pacer.limit_bytes_per_s(), 1'000u);
  pacer.LowerTo(500);
  EXPECT_EQ(pacer.limit_bytes_per_s(), 500u);
}

TEST(Pacer, RefusesMessagesThatTakeMoreThanAFifthOfASecond) {
  EXPECT_TRUE(FitsShare(1'048'576, ShareOf(1'000)));
  EXPECT_FALSE(FitsShare(1'048'576, ShareOf(900)));
  EXPECT_TRUE(FitsShare(8'192, ShareOf(10)));
  EXPECT_FALSE(FitsShare(8'192, ShareOf(1)));
}

TEST(Pacer, CountsHeaders) {
  EXPECT_EQ(WireBytesOf(1'024), 1'024u + 5 * 110);
  EXPECT_GT(WireBytesOf(64), 64u + 110);
}

}  // namespace
}  // namespace rdmaready
