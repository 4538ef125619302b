// SPDX-License-Identifier: Apache-2.0
#include "api/base/duration.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

TEST(Duration, TakesTheUsualUnits) {
  EXPECT_EQ(ParseDuration("60").value(), std::chrono::seconds(60));
  EXPECT_EQ(ParseDuration("60s").value(), std::chrono::seconds(60));
  EXPECT_EQ(ParseDuration("500ms").value(), std::chrono::milliseconds(500));
  EXPECT_EQ(ParseDuration("2m").value(), std::chrono::minutes(2));
  for (const char* text : {"", "s", "0", "-1s", "5x", "1.5s", "99999999999999999999"}) {
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
  }
}

}  // namespace
}  // namespace rdmaready
