// SPDX-License-Identifier: Apache-2.0
#include "agent/numbered_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/support/fake_clock.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

NumberedPart PartOf(const std::string& run, bool is_initiator = true) {
  return {.who = "root",
          .run_id = run,
          .is_initiator = is_initiator,
          .message_bytes = 512,
          .most_writes = 1'000,
          .duration = milliseconds(10'000)};
}

TEST(NumberedRunsOfAnAgent, SharesARunAmongThePathsOfOneCaller) {
  FakeClock clock;
  NumberedRuns runs(clock);
  const auto first = runs.Join(PartOf("r"));
  const auto second = runs.Join(PartOf("r"));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->writes, second->writes);
  EXPECT_EQ(first->log, nullptr);
  NumberedPart other = PartOf("r");
  other.who = "somebody";
  const auto apart = runs.Join(other);
  ASSERT_TRUE(apart.ok());
  EXPECT_NE(apart->writes, first->writes);

  NumberedRuns peer(clock);
  const auto log = peer.Join(PartOf("r", false));
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log->key, first->key) << "both ends know the same";
  EXPECT_NE(log->log, nullptr);
  EXPECT_EQ(log->writes, nullptr);
}

TEST(NumberedRunsOfAnAgent, RefusesAPathThatIsUnlikeTheFirst) {
  FakeClock clock;
  NumberedRuns runs(clock);
  ASSERT_TRUE(runs.Join(PartOf("r")).ok());
  NumberedPart larger = PartOf("r");
  larger.message_bytes = 1024;
  EXPECT_EQ(runs.Join(larger).status().code(), absl::StatusCode::kInvalidArgument);
  NumberedPart longer = PartOf("r");
  longer.duration = milliseconds(1);
  EXPECT_EQ(runs.Join(longer).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(runs.Join(PartOf("r", false)).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(NumberedRunsOfAnAgent, RefusesTheSeventeenthRunUntilOneIsForgotten) {
  FakeClock clock;
  NumberedRuns runs(clock);
  for (int run = 0; run < 16; ++run) ASSERT_TRUE(runs.Join(PartOf(std::to_string(run))).ok());
  const absl::Status refused = runs.Join(PartOf("next")).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("too many runs of numbered writes within a minute (limit 16)"));
  EXPECT_TRUE(runs.Join(PartOf("4")).ok()) << "a path comes back";
  clock.Advance(milliseconds(70'001));
  EXPECT_TRUE(runs.Join(PartOf("next")).ok());
}

}  // namespace
}  // namespace rdmaready
