// SPDX-License-Identifier: Apache-2.0
#include "cli/since.h"

#include <gtest/gtest.h>

#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kSinceNow = 1'795'200'000 * kSecond;  // 2026-11-20 18:40:00 UTC

TEST(ParseSince, CountsBackFromNow) {
  EXPECT_EQ(*ParseSince("24h", kSinceNow), kSinceNow - 86'400 * kSecond);
  EXPECT_EQ(*ParseSince("7d", kSinceNow), kSinceNow - 7 * 86'400 * kSecond);
}

TEST(ParseSince, TakesDatesAndTimesOfUtc) {
  EXPECT_EQ(*ParseSince("2026-11-20T18:40:00", kSinceNow), kSinceNow);
  EXPECT_EQ(*ParseSince("2026-11-20T18:40Z", kSinceNow), kSinceNow);
  EXPECT_EQ(*ParseSince("2026-11-20 18:40", kSinceNow), kSinceNow);
  EXPECT_EQ(*ParseSince("2026-11-20", kSinceNow), kSinceNow - (18 * 3600 + 40 * 60) * kSecond);
  EXPECT_EQ(TimeText(*ParseSince("2024-02-29T23:59:59", kSinceNow)), "2024-02-29 23:59:59");
}

TEST(ParseSince, RefusesWhatIsNoTime) {
  for (const char* text : {"",
                           "soon",
                           "24",
                           "2026",
                           "2026-13-01",
                           "2026-02-30",
                           "2026-1-1",
                           "2026-11-20T",
                           "2026-11-20T25:00",
                           "2026-11-20T10:60",
                           "2026-11-20T10:00:61",
                           "2026-11-20x",
                           "1900-01-01",
                           "-7d",
                           " 2026-11-20",
                           "2026-11-20 ",
                           "2026-11-20Z",
                           "+2026-11-20",
                           "2026-11-20T18:40:00.5",
                           "2026-11-20T18:40 Z"}) {
    const auto since = ParseSince(text, kSinceNow);
    EXPECT_EQ(since.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace rdmaready
