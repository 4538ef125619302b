// SPDX-License-Identifier: Apache-2.0
#include "api/base/quantity.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

TEST(ParseSize, TakesBinaryUnits) {
  EXPECT_EQ(*ParseSize("4096"), 4096u);
  EXPECT_EQ(*ParseSize("512K"), 512u << 10);
  EXPECT_EQ(*ParseSize("256M"), 256u << 20);
  EXPECT_EQ(*ParseSize("2T"), 2ull << 40);
}

TEST(ParseSize, RefusesWhatIsNone) {
  for (const char* text : {"", "M", "-1", "1.5G", "1 G", "10m", "99999999999999999999", "20000000T"}) {
    const auto size = ParseSize(text);
    EXPECT_EQ(size.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_NE(size.status().message().find(std::string("'") + text + "'"), absl::string_view::npos);
  }
}

TEST(ParseDuration, TakesTheUsualUnits) {
  EXPECT_EQ(ParseDuration("60").value(), std::chrono::seconds(60));
  EXPECT_EQ(ParseDuration("60s").value(), std::chrono::seconds(60));
  EXPECT_EQ(ParseDuration("500ms").value(), std::chrono::milliseconds(500));
  EXPECT_EQ(ParseDuration("2m").value(), std::chrono::minutes(2));
  for (const char* text : {"", "s", "0", "-1s", "5x", "1.5s", "99999999999999999999"}) {
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
  }
}

TEST(ParseAge, TakesUnitsFromSecondsToWeeks) {
  EXPECT_EQ(*ParseAge("90s"), std::chrono::seconds(90));
  EXPECT_EQ(*ParseAge("30m"), std::chrono::minutes(30));
  EXPECT_EQ(*ParseAge("24h"), std::chrono::hours(24));
  EXPECT_EQ(*ParseAge("7d"), std::chrono::hours(168));
  EXPECT_EQ(*ParseAge("2w"), std::chrono::hours(336));
}

TEST(ParseAge, RefusesWhatIsNone) {
  for (const char* text : {"", "h", "24", "0h", "-5d", "1y", "6000w", "9999999999999999w"}) {
    EXPECT_EQ(ParseAge(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace rdmaready
