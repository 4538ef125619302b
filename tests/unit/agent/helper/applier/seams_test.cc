// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/seams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/profile/load.h"
#include "api/profile/profile_proto.h"
#include "collectors/real/host.h"

namespace rdmaready::helper {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(PlanOfAnOrder, NamesEachProfileByItsContent) {
  const ApplyOrder order{.profiles = {*LoadProfile("virtual-fabric")}};
  const auto plan = PlanOf(Facts{}, order);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_THAT(plan->profiles, SizeIs(1));
  EXPECT_EQ(plan->profiles[0].name, "virtual-fabric");
  EXPECT_EQ(plan->profiles[0].digest, *ProfileContentDigest(order.profiles[0]));
}

// What a caller says of a profile's digest is not looked at.
TEST(PlanOfAnOrder, ADigestThatACallerClaimsIsNotItsDigest) {
  ApplyOrder order{.profiles = {*LoadProfile("virtual-fabric")}};
  const std::string digest = PlanOf(Facts{}, order)->profiles[0].digest;
  order.profiles[0].mtu_bytes = order.profiles[0].mtu_bytes.value_or(1500) + 1;
  order.profiles[0].digest = digest;
  EXPECT_NE(PlanOf(Facts{}, order)->profiles[0].digest, digest);
}

TEST(PlanOfAnOrder, ProfilesThatDivideNoHostAreRefused) {
  const Profile profile = *LoadProfile("virtual-fabric");
  EXPECT_EQ(PlanOf(Facts{}, {.profiles = {profile, profile}}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// Profiles that divide no host are not looked at where root did not list them.
TEST(PlanOfAnOrder, OfAProfileThatIsNotListedIsNotMade) {
  const std::string directory = testing::TempDir() + "apply file of seams " + std::to_string(::getpid());
  std::filesystem::create_directories(directory);
  std::filesystem::permissions(directory, std::filesystem::perms(0755));
  const std::string file = directory + "/apply.yaml";
  std::ofstream(file) << "ports: [\"*\"]\nsettings: [all]\nprofiles: []\n";
  const auto host = std::make_unique<RealHost>();
  const Profile profile = *LoadProfile("virtual-fabric");
  const auto plan = SeamsOf(*host, file).plan(Facts{}, {.profiles = {profile, profile}});
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(Message(plan.status()),
              HasSubstr("under `profiles:` - sha256: " + *ProfileContentDigest(profile)));
  std::filesystem::remove_all(directory);
}

TEST(PermissionInAFile, ThatIsNotThereIsNone) {
  const auto permission = PermissionIn("/nonexistent/apply.yaml", ::geteuid());
  EXPECT_EQ(permission.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(Message(permission.status()),
              HasSubstr("root says in /nonexistent/apply.yaml what may be changed"));
  EXPECT_THAT(Message(permission.status()), HasSubstr("No such file or directory"));
}

// A host that was suspended with a change armed does not give it all its time once more.
TEST(SeamsOfThisHost, TheClockGoesOnThroughASuspension) {
  EXPECT_EQ(SeamsOf(*std::make_unique<RealHost>(), "/nonexistent").clock, &BootClock());
  Clock& clock = BootClock();
  ::timespec awake{};
  ASSERT_EQ(::clock_gettime(CLOCK_MONOTONIC, &awake), 0);
  const Clock::TimePoint before = clock.Now();
  EXPECT_GE(before.time_since_epoch(), std::chrono::seconds(awake.tv_sec));
  EXPECT_TRUE(clock.SleepUntil(before + std::chrono::milliseconds(5), {}));
  EXPECT_GE(clock.Now() - before, std::chrono::milliseconds(5));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(clock.SleepUntil(before + std::chrono::hours(1), stop.get_token()));
}

}  // namespace
}  // namespace rdmaready::helper
