// SPDX-License-Identifier: Apache-2.0
#include "cli/render/text_fleet_past.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rdmaready {
namespace {

constexpr std::int64_t kPastDay = 86'400'000'000'000;

FleetPastTest OneTest(const std::string& host, PastState state) {
  return {.host_id = "id",
          .host = host,
          .group = "storage",
          .state = state,
          .test = {.port = "mlx5_0/1",
                   .case_name = "write-512k",
                   .role = "loopback",
                   .last_bytes_per_s = 13'000'000,
                   .last_unix_ns = 20'090 * kPastDay,
                   .days = 30,
                   .p10_bytes_per_s = 96'000'000,
                   .p50_bytes_per_s = 97'000'000,
                   .days_kept = 91,
                   .first_unix_ns = 20'000 * kPastDay,
                   .changed_unix_ns = 20'090 * kPastDay,
                   .before_bytes_per_s = 97'000'000,
                   .before_days = 90}};
}

TEST(FleetPastText, SaysWhatIsSlowerAndSinceWhen) {
  const std::string text = FleetPastText(
      {OneTest("node1", PastState::kSlower), OneTest("node\x1b[2J2", PastState::kOld)}, 9, false, {});
  EXPECT_EQ(text,
            "        host       port      case        peer      last       on          p50        p10        days  it is so\n"
            "slower  node1      mlx5_0/1  write-512k  loopback  13.0 MB/s  2025-01-02  97.0 MB/s  96.0 MB/s  30    since "
            "2025-01-02; 97.0 MB/s for 90 days before\n"
            "old     node?[2J2  mlx5_0/1  write-512k  loopback  13.0 MB/s  2025-01-02  97.0 MB/s  96.0 MB/s  30    since "
            "2025-01-02; 97.0 MB/s for 90 days before\n"
            "and 7 more: --limit\n");
}

TEST(FleetPastText, SaysWhyThereIsNothing) {
  EXPECT_EQ(FleetPastText({}, 0, true, {}), "no test is slower than before\n");
  EXPECT_THAT(FleetPastText({}, 0, false, {}), testing::HasSubstr("no live test is remembered"));
}

}  // namespace
}  // namespace rdmaready
