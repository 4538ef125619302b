// SPDX-License-Identifier: Apache-2.0
#include "hub/daemon/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "api/base/status.h"

namespace rdmaready::hub {
namespace {

using std::chrono::hours;

absl::StatusOr<HubCommandLine> ParseHub(std::vector<const char*> more) {
  std::vector<const char*> argv{"rdmaready-hub", "--store", "fleet.db"};
  argv.insert(argv.end(), more.begin(), more.end());
  return ParseHubCommandLine(static_cast<int>(argv.size()), argv.data());
}

TEST(HubOptionsTest, WhatIsKeptEndsByItselfUnlessItIsForEver) {
  const auto usual = ParseHub({});
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_EQ(usual->options.keep_changes, hours(24 * 90));
  EXPECT_EQ(usual->options.keep_audit, hours(24 * 400));
  const auto said = ParseHub({"--keep-changes", "2w", "--keep-audit", "90s"});
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(said->options.keep_changes, hours(24 * 14));
  EXPECT_EQ(said->options.keep_audit, hours(1));
  const auto ever = ParseHub({"--keep-changes", "0", "--keep-audit", "0"});
  ASSERT_TRUE(ever.ok()) << ever.status();
  EXPECT_EQ(ever->options.keep_changes, hours(0));
  EXPECT_EQ(ever->options.keep_audit, hours(0));
}

TEST(HubOptionsTest, ATimeThatIsNoneIsRefusedByTheNameOfItsOption) {
  for (const char* option : {"--keep-changes", "--keep-audit"}) {
    const auto refused = ParseHub({option, "soon"});
    EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
    EXPECT_THAT(Message(refused.status()), testing::StartsWith(std::string(option) + ": "));
  }
}

TEST(HubOptionsTest, CallersByPlainTextObserveUnlessItSaysMore) {
  EXPECT_EQ(ParseHub({})->options.plain_role, FleetAsk::kObserve);
  EXPECT_EQ(ParseHub({"--plain-role", "observe", "--insecure"})->options.plain_role, FleetAsk::kObserve);
  EXPECT_EQ(ParseHub({"--plain-role", "operate"})->options.plain_role, FleetAsk::kOperate);
  for (const auto& words :
       {std::vector<const char*>{"--plain-role", "admit"}, {"--plain-role", "operate", "--insecure"}}) {
    const auto refused = ParseHub(words);
    EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
    EXPECT_THAT(Message(refused.status()), testing::StartsWith("--plain-role: "));
  }
}

}  // namespace
}  // namespace rdmaready::hub
