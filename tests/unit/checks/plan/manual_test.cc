// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/manual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "checks/judge.h"
#include "checks/plan/plan.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<PlanManual> ManualFor(const Facts& host) {
  const Profile profile = VirtualFabricProfile();
  const HostParts parts(host, profile);
  return ManualOf(MakePlan(parts), JudgeHost(parts));
}

Facts WithoutAddresses() {
  return WithNetdev([](Netdev& netdev) { netdev.addresses = std::vector<IpAddress>{}; });
}

Facts WithoutPfc() {
  return WithNetdev([](Netdev& netdev) {
    Pfc pfc = *netdev.dcb.pfc;
    pfc.enabled = 0;
    netdev.dcb.pfc = pfc;
  });
}

TEST(ManualOf, NamesWhatNoSettingServes) {
  const std::vector<PlanManual> manual = ManualFor(WithoutAddresses());
  ASSERT_THAT(manual, Not(IsEmpty()));
  const auto found = std::ranges::find(manual, "ip.address", &PlanManual::id);
  ASSERT_NE(found, manual.end());
  EXPECT_THAT(found->subject, HasSubstr("rxe0/1"));
  EXPECT_THAT(found->observed, HasSubstr("no address"));
  ASSERT_FALSE(found->steps.empty());
  EXPECT_THAT(found->steps.front(), HasSubstr("ip address add"));
}

TEST(ManualOf, LeavesOutWhatAStepServes) {
  const Facts host = WithoutPfc();
  const Profile profile = VirtualFabricProfile();
  ASSERT_FALSE(MakePlan(HostParts(host, profile)).steps.empty());
  EXPECT_THAT(ManualFor(host), IsEmpty());
}

TEST(ManualOf, IsEmptyOfAGoodHost) { EXPECT_THAT(ManualFor(GoodHost()), IsEmpty()); }

// The place counts: a step at one port says nothing of another one.
TEST(ManualOf, ComparesThePlaces) {
  Plan plan;
  plan.steps.push_back({.subject = "mlx5_0/1 eth0", .mends = {"mtu.ethernet"}});
  Finding finding{.id = "mtu.ethernet", .scope = Scope::kPort, .subject = "mlx5_0/1 eth0"};
  finding.outcome = Outcome::kFail;
  finding.blocking = true;
  EXPECT_THAT(ManualOf(plan, std::vector{finding}), IsEmpty());
  finding.subject = "mlx5_1/1 eth1";
  EXPECT_THAT(ManualOf(plan, std::vector{finding}), ElementsAre(Field(&PlanManual::id, "mtu.ethernet")));
  finding.waived = Waived{};
  EXPECT_THAT(ManualOf(plan, std::vector{finding}), IsEmpty());
  finding.waived.reset();
  finding.blocking = false;
  EXPECT_THAT(ManualOf(plan, std::vector{finding}), IsEmpty());
}

}  // namespace
}  // namespace rdmaready
