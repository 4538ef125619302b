// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/permission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class PermissionTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(shop.Start().ok()); }

  // The words of a refusal before which nothing was written.
  std::string Refused() {
    const absl::Status status = shop.Apply().status();
    EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
    EXPECT_EQ(shop.host.values, PlainHost());
    EXPECT_THAT(shop.host.asked, IsEmpty());
    EXPECT_EQ(shop.FileText("journal"), "");
    return std::string(status.message());
  }

  Workshop shop;
};

TEST_F(PermissionTest, WithoutTheFileNothingIsAllowedAndNothingIsRead) {
  shop.permission = absl::NotFoundError("no /etc/rdmaready/apply.yaml: apply is off");
  int reads = 0;
  shop.host.point = [&] { ++reads; };
  EXPECT_THAT(Refused(), HasSubstr("apply is off"));
  EXPECT_EQ(reads, 0);
  const ApplierStatus status = *shop.applier->Status();
  EXPECT_THAT(status.allowed, IsEmpty());
  EXPECT_THAT(status.not_allowed, HasSubstr("apply is off"));
}

TEST_F(PermissionTest, AFileThatAllowsNothingAllowsNothing) {
  shop.permission = Permission{};
  EXPECT_THAT(Refused(), HasSubstr("under `profiles:` - sha256: aaaa"));
  EXPECT_THAT(shop.applier->Status()->not_allowed, HasSubstr("allows nothing"));
}

TEST_F(PermissionTest, ASettingThatIsNotListedIsNamed) {
  std::erase(shop.permission->settings, SettingKind::kPfc);
  const std::string words = Refused();
  EXPECT_THAT(words, HasSubstr("under `settings:` pfc"));
  EXPECT_THAT(words, Not(HasSubstr("ets")));
}

TEST_F(PermissionTest, APortThatIsNotListedIsNamed) {
  shop.permission->ports = {"host", "ens*"};
  const std::string words = Refused();
  EXPECT_THAT(words, HasSubstr("under `ports:` dcb0"));
  EXPECT_THAT(words, HasSubstr("under `ports:` rxe0/1"));
}

TEST_F(PermissionTest, WhatIsOfTheWholeHostIsAllowedByNoPort) {
  shop.permission->ports = {"dcb0", "rxe0/1"};
  EXPECT_THAT(Refused(), HasSubstr("under `ports:` host"));
}

TEST_F(PermissionTest, AProfileOfAnotherContentIsRefused) {
  shop.permission->profiles = {{std::string(64, 'b'), "smb-direct-roce"}};
  EXPECT_THAT(Refused(), HasSubstr(std::string(64, 'a')));
}

TEST_F(PermissionTest, AProfileWithoutADigestIsNeverListed) {
  const Permission permission{
      .ports = {"*"}, .settings = {kSettingKinds.begin(), kSettingKinds.end()}, .profiles = {{"", "nothing"}}};
  EXPECT_FALSE(CheckPlan(permission, {}, {.profiles = {{"smb", ""}}}).ok());
}

TEST_F(PermissionTest, AOneWayStepNeedsTheFileAndTheOrder) {
  shop.one_way = {On(SettingKind::kDcbx), On(SettingKind::kPfc)};
  EXPECT_THAT(Refused(), HasSubstr("`one_way: true` for pfc of dcb0"));
  shop.order.allow_one_way = true;
  EXPECT_THAT(Refused(), Not(HasSubstr("--allow-one-way")));
  shop.order.allow_one_way = false;
  shop.permission->one_way = true;
  EXPECT_THAT(Refused(), HasSubstr("--allow-one-way for pfc of dcb0"));
  shop.order.allow_one_way = true;
  EXPECT_TRUE(shop.Apply().ok());
}

TEST_F(PermissionTest, ItIsReadAfreshForEachOrder) {
  shop.permission->ports = {};
  Refused();
  shop.permission->ports = {"dcb?", "rxe*", "host"};
  EXPECT_TRUE(shop.Apply().ok());
}

TEST_F(PermissionTest, ASysctlOfAnInterfaceBelongsToThatInterface) {
  EXPECT_THAT(PlacesOf(On(SettingKind::kSysctl, "", "net.ipv4.conf.dcb0.100.arp_ignore"), "rxe0/1 dcb0"),
              ElementsAre("dcb0.100", "rxe0/1", "dcb0"));
  EXPECT_THAT(PlacesOf(On(SettingKind::kSysctl, "", "net.ipv4.conf.default.arp_ignore"), "rxe0/1 dcb0"),
              ElementsAre("host"));
  EXPECT_THAT(PlacesOf(On(SettingKind::kPfc, "dcb0"), "rxe0/1 dcb0"), ElementsAre("dcb0", "rxe0/1"));
}

TEST_F(PermissionTest, APlanThatCannotBeMadeIsTheCallersError) {
  shop.plan_error = absl::InvalidArgumentError("two profiles are for rxe0/1");
  EXPECT_TRUE(absl::IsInvalidArgument(shop.Apply().status()));
  EXPECT_EQ(shop.host.values, PlainHost());
}

}  // namespace
}  // namespace rdmaready
