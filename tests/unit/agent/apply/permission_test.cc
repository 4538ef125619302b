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

TEST_F(PermissionTest, AProfileThatIsNotListedIsRefusedBeforeTheHostIsRead) {
  shop.profiles = {{"smb-direct-roce", std::string(64, 'b')}};
  ASSERT_TRUE(shop.Start().ok());
  const int before = shop.readings;
  int seen = 0;
  shop.host.point = [&] { ++seen; };
  EXPECT_THAT(Refused(), HasSubstr(std::string(64, 'b')));
  EXPECT_EQ(shop.readings, before);
  EXPECT_EQ(seen, 0);
  shop.host.point = nullptr;
  shop.profiles = {{"smb-direct-roce", std::string(64, 'a')}};
  EXPECT_TRUE(shop.Apply().ok());
}

// bond0 is of ens1f0 and ens1f1; ens1f0.7 and bond0.8 are VLANs.
std::vector<std::string> BelowOfABond(const std::string& netdev) {
  if (netdev == "bond0" || netdev == "bond0.8") return {"ens1f0", "ens1f1"};
  if (netdev == "ens1f0.7") return {"ens1f0"};
  return {netdev};
}

TEST_F(PermissionTest, OneListedMemberDoesNotOpenItsBond) {
  const auto allows = [](std::vector<std::string> ports, const std::string& where, const char* subject) {
    const Permission permission{.ports = std::move(ports), .settings = {SettingKind::kMtu}};
    return AllowsSetting(permission, On(SettingKind::kMtu, where), subject, BelowOfABond);
  };
  const char* member = "mlx5_0/1 ens1f0";
  EXPECT_FALSE(allows({"ens1f0"}, "bond0", member));
  EXPECT_FALSE(allows({"mlx5_0/1"}, "bond0", member));
  EXPECT_FALSE(allows({"ens1f0"}, "bond0.8", member));
  EXPECT_TRUE(allows({"bond0"}, "bond0", member));
  EXPECT_TRUE(allows({"ens1f0"}, "ens1f0.7", member)) << "a VLAN of the port alone";
  EXPECT_TRUE(allows({"mlx5_0/1"}, "ens1f0", member));
  const char* device_of_bond = "mlx5_bond_0/1 bond0";
  EXPECT_TRUE(allows({"mlx5_bond_0/1"}, "bond0", device_of_bond)) << "the RDMA device is the bond's";
  EXPECT_TRUE(allows({"bond0"}, "bond0.8", device_of_bond));
}

TEST_F(PermissionTest, AStepOfABondIsRefusedWhereOnlyAMemberIsListed) {
  shop.below = [](const std::string& netdev) {
    return netdev == "bond0" ? std::vector<std::string>{"dcb0", "dcb1"} : std::vector{netdev};
  };
  ASSERT_TRUE(shop.Start().ok());
  shop.host.values[On(SettingKind::kMtu, "bond0")] = "1500";
  shop.wanted = {{On(SettingKind::kMtu, "bond0"), "9000"}};
  const absl::Status refused = shop.Apply().status();
  EXPECT_TRUE(absl::IsPermissionDenied(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("under `ports:` bond0"));
  EXPECT_THAT(shop.host.asked, IsEmpty());
  shop.permission->ports.push_back("bond0");
  EXPECT_TRUE(shop.Apply().ok());
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
