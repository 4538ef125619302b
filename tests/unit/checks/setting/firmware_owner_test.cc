// SPDX-License-Identifier: Apache-2.0
// Settings of data centre bridging that a NIC's firmware has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checks/setting/owner.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/setting/settings_of.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string OwnerName(const Facts& host, SettingKind kind) { return OwnerOf(host, OfDcb0(kind)).name; }

TEST(FirmwareOwner, OwnsSettingsThatTheDriverRefuses) {
  const auto managed = [](std::string_view driver) {
    return On(driver, [](Netdev& netdev) { netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true}; });
  };
  for (const std::string_view driver : {"ice", "bnxt_en", "i40e", "cxgb4"}) {
    const SettingOwner owner = OwnerOf(managed(driver), OfDcb0(SettingKind::kPfc), "on 3 delay 0");
    EXPECT_EQ(owner.name, "firmware") << driver;
    ASSERT_EQ(owner.way.steps.size(), 1U);
    EXPECT_EQ(owner.way.steps[0].site, StepSite::kSwitch);
    Facts with_lldpad = managed(driver);
    with_lldpad.lldp_agents = std::vector<std::string>{"lldpad"};
    EXPECT_EQ(OwnerName(with_lldpad, SettingKind::kPfc), "firmware") << "lldpad leaves such a port alone";
  }
  EXPECT_EQ(OwnerName(managed("mlx5_core"), SettingKind::kPfc), "");
  EXPECT_EQ(OwnerName(managed("ice"), SettingKind::kMtu), "");
}

TEST(FirmwareOwner, LeavesRowsOfCxgb4ToTheHostAndIsNotSwitchedOff) {
  const Facts host =
      On("cxgb4", [](Netdev& netdev) { netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true}; });
  EXPECT_EQ(OwnerName(host, SettingKind::kApp), "");
  const SettingOwner classes = OwnerOf(host, OfDcb0(SettingKind::kEts));
  EXPECT_EQ(classes.name, "firmware");
  EXPECT_FALSE(classes.takes_over.has_value());
  EXPECT_THAT(classes.way.alternatives, IsEmpty());
}

TEST(FirmwareOwner, IsSwitchedOffByAPrivateFlagOfI40e) {
  const auto with = [](std::vector<PrivateFlag> flags) {
    return On("i40e", [&](Netdev& netdev) {
      netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true};
      netdev.link.private_flags = flags;
    });
  };
  const SettingOwner owner =
      OwnerOf(with({{.name = "disable-fw-lldp", .on = false}}), OfDcb0(SettingKind::kPfc));
  ASSERT_TRUE(owner.takes_over.has_value());
  EXPECT_EQ(owner.takes_over->command, "ethtool --set-priv-flags dcb0 disable-fw-lldp on");
  const SettingOwner without = OwnerOf(with({}), OfDcb0(SettingKind::kPfc));
  ASSERT_TRUE(without.takes_over.has_value());
  EXPECT_EQ(without.takes_over->command, "");
  EXPECT_THAT(without.takes_over->action, HasSubstr("vendor's tool"));
}

}  // namespace
}  // namespace rdmaready
