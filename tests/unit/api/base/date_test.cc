// SPDX-License-Identifier: Apache-2.0
#include "api/base/date.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

constexpr std::int64_t kDayNs = 86'400'000'000'000;

TEST(EndOfDay, IsTheBeginningOfTheNext) {
  EXPECT_EQ(EndOfDayUnixNs("1970-01-01"), kDayNs);
  EXPECT_EQ(EndOfDayUnixNs("2026-12-31"), 20'819 * kDayNs);  // date -ud 2027-01-01 +%s
  EXPECT_EQ(EndOfDayUnixNs("2028-02-29"), 21'244 * kDayNs);
}

TEST(EndOfDay, RefusesWhatIsNoDay) {
  for (const char* text : {"", "2026", "2026-12", "2026-2-31", "2026-02-29", "2026-13-01", "2026-00-10", "2026-12-32",
                           "31.12.2026", "2026/12/31", "2026-12-31T00", " 2026-12-31", "1969-12-31", "2262-01-01",
                           "9999-12-31", "-026-12-31", "20x6-12-31"}) {
    EXPECT_EQ(EndOfDayUnixNs(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace rdmaready
