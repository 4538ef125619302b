// SPDX-License-Identifier: Apache-2.0
// A slice of what soak_year lives through whole.
#include "tests/unit/agent/history/year.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace rdmaready {
namespace {

TEST(Year, OfAQuietHostStoresABodyForEachChangeAndNoMore) {
  const std::string directory = testing::TempDir() + "year " + std::to_string(::getpid());
  const YearResult two_weeks = LiveThrough(directory, 2);
  std::filesystem::remove_all(directory);
  EXPECT_EQ(two_weeks.error, "");
  EXPECT_EQ(two_weeks.checks, 1344u);
  EXPECT_EQ(two_weeks.bodies, 2u);
  EXPECT_EQ(two_weeks.baselines, 10u) << "of two ports and five cases";
  // 52 weeks of it are below 64 MiB.
  EXPECT_LT(two_weeks.file_bytes, (std::uint64_t{64} << 20) / 26);
  RecordProperty("file_bytes", std::to_string(two_weeks.file_bytes));
}

}  // namespace
}  // namespace rdmaready
