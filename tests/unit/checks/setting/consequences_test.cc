// SPDX-License-Identifier: Apache-2.0
// What a write does to the traffic, by driver, and what cannot be taken back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/checks/setting/settings_of.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

Disturbance Disturbed(std::string_view driver, SettingKind kind, std::string_view from, std::string_view to) {
  const Facts host = OfDriver(driver);
  const SettingObject object = OfDcb0(kind);
  return RowOf(kind).disturbs(PlaceOf(host, object), from, to);
}

std::string OneWay(const Facts& host, SettingKind kind, std::string_view from, std::string_view to) {
  const SettingObject object = OfDcb0(kind);
  const SettingRow& row = RowOf(kind);
  return row.one_way == nullptr ? "" : row.one_way(PlaceOf(host, object), from, to);
}

constexpr std::string_view kOneClass =
    "willing on tsa ets,strict,strict,strict,strict,strict,strict,strict tx 100,0,0,0,0,0,0,0 prio "
    "0,0,0,0,0,0,0,0";
constexpr std::string_view kShares =
    "willing off tsa ets,strict,strict,ets,strict,strict,strict,strict tx 50,0,0,50,0,0,0,0 prio "
    "0,0,0,3,0,0,0,0";

// ---- disturbance ----

TEST(Disturbs, PfcTheLinkOfMlx5AndTheQueuesOfIceAndBnxt) {
  const Disturbance mlx5 = Disturbed("mlx5_core", SettingKind::kPfc, "off delay 7", "on 3 delay 7");
  EXPECT_EQ(mlx5.text, "mlx5: the link goes down for a moment");
  EXPECT_TRUE(mlx5.link_down);
  EXPECT_GE(mlx5.estimate_ms, 1000U);
  EXPECT_EQ(Disturbed("mlx5_core", SettingKind::kPfc, "on 3 delay 7", "on 3 delay 30").text, "");
  const Disturbance ice = Disturbed("ice", SettingKind::kPfc, "off delay 0", "on 3 delay 0");
  EXPECT_EQ(ice.text, "ice: the driver stops the port for a moment");
  EXPECT_FALSE(ice.link_down);
  EXPECT_THAT(Disturbed("bnxt_en", SettingKind::kPfc, "off delay 0", "on 3 delay 0").text, HasSubstr("stops"));
  EXPECT_EQ(Disturbed("bnxt_en", SettingKind::kPfc, "on 3 delay 0", "off delay 0").text, "");
}

TEST(Disturbs, EtsWhereTheMapChanges) {
  EXPECT_EQ(Disturbed("mlx5_core", SettingKind::kEts, kOneClass, kShares).text, "");
  EXPECT_THAT(Disturbed("bnxt_en", SettingKind::kEts, kOneClass, kShares).text, HasSubstr("bnxt: "));
  std::string other(kShares);
  other.replace(other.find("tx 50,0,0,50"), 12, "tx 40,0,0,60");
  EXPECT_EQ(Disturbed("bnxt_en", SettingKind::kEts, kShares, other).text, "");
  EXPECT_THAT(Disturbed("ice", SettingKind::kEts, kShares, other).text, HasSubstr("stops the port"));
}

TEST(Disturbs, MtuNearlyAllHardware) {
  for (const std::string_view driver : {"mlx5_core", "bnxt_en", "ice", "mlx4_en", "qede"})
    EXPECT_NE(Disturbed(driver, SettingKind::kMtu, "1500", "9000").text, "") << driver;
  // Nothing is known of it, which is not: nothing.
  const Disturbance unknown = Disturbed("cxgb4", SettingKind::kMtu, "1500", "9000");
  EXPECT_EQ(unknown.text, "");
  EXPECT_GT(unknown.estimate_ms,
            Disturbed("cxgb4", SettingKind::kMaxRate, "0,0,0,0,0,0,0,0", "1,0,0,0,0,0,0,0").estimate_ms);
}

TEST(Disturbs, ThePauseOfThoseThatNegotiateAnew) {
  EXPECT_TRUE(
      Disturbed("ice", SettingKind::kPause, "autoneg on rx on tx on", "autoneg on rx off tx off").link_down);
  EXPECT_TRUE(Disturbed("bnxt_en", SettingKind::kPause, "autoneg on rx on tx on", "autoneg off rx off tx off")
                  .link_down);
  EXPECT_FALSE(Disturbed("bnxt_en", SettingKind::kPause, "autoneg off rx on tx on", "autoneg off rx off tx off")
                   .link_down);
  EXPECT_FALSE(
      Disturbed("mlx5_core", SettingKind::kPause, "autoneg off rx on tx on", "autoneg off rx off tx off")
          .link_down);
}

TEST(Disturbs, TheFirmwareOnlyWhereItGetsDcbx) {
  EXPECT_THAT(Disturbed("mlx5_core", SettingKind::kDcbx, "host cee ieee", "cee ieee").text,
              HasSubstr("firmware"));
  EXPECT_EQ(Disturbed("mlx5_core", SettingKind::kDcbx, "cee ieee", "host ieee").text, "");
}

// ---- one way ----

TEST(OneWay, IsDcbxOfBnxtToItsFirmware) {
  EXPECT_THAT(OneWay(OfDriver("bnxt_en"), SettingKind::kDcbx, "host ieee", "lld-managed ieee"),
              HasSubstr("bnxt_en"));
  EXPECT_EQ(OneWay(OfDriver("bnxt_en"), SettingKind::kDcbx, "host ieee", "ieee"), "");
  EXPECT_EQ(OneWay(OfDriver("mlx5_core"), SettingKind::kDcbx, "host cee ieee", "cee ieee"), "");
  EXPECT_EQ(OneWay(OfDriver("dcbnic"), SettingKind::kDcbx, "host ieee", "lld-managed ieee"), "");
}

// mlx5e_dcbnl_setbuffer takes the buffers from the firmware.
TEST(OneWay, CoversTheBuffersOfMlx5) {
  constexpr std::string_view kWhole = "prio 0,0,0,0,0,0,0,0 size 262016,0,0,0,0,0,0,0";
  constexpr std::string_view kParted = "prio 0,0,0,1,0,0,0,0 size 131840,130176,0,0,0,0,0,0";
  EXPECT_THAT(OneWay(OfDriver("mlx5_core"), SettingKind::kBuffer, kWhole, kParted), HasSubstr("firmware"));
  EXPECT_EQ(OneWay(OfDriver("dcbnic"), SettingKind::kBuffer, kWhole, kParted), "");
}

TEST(OneWay, CoversRowsThatADriverDoesNotDelete) {
  for (const std::string_view driver : {"cxgb4", "qede"})
    EXPECT_THAT(OneWay(OfDriver(driver), SettingKind::kApp, "empty", "dgram:4791:3"), HasSubstr("keeps a row"));
  EXPECT_EQ(OneWay(OfDriver("bnxt_en"), SettingKind::kApp, "empty", "dgram:4791:3"), "");
}

TEST(OneWay, IsTheFirstPfcOfBnxt) {
  const Facts unset = OfDriver("bnxt_en", [](Netdev& netdev) {
    netdev.dcb.pfc = Pfc{};
    netdev.dcb.ets = Ets{};
  });
  EXPECT_THAT(OneWay(unset, SettingKind::kPfc, "off delay 0", "on 3 delay 0"), HasSubstr("NVM"));
  EXPECT_THAT(OneWay(unset, SettingKind::kEts, kOneClass, kShares), HasSubstr("NVM"));
  EXPECT_EQ(OneWay(OfDriver("bnxt_en"), SettingKind::kPfc, "on 3 delay 0", "on 4 delay 0"), "");
  EXPECT_EQ(OneWay(OfDriver("dcbnic"), SettingKind::kPfc, "off delay 0", "on 3 delay 0"), "");
}

}  // namespace
}  // namespace rdmaready
