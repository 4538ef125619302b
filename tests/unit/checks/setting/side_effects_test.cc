// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/side_effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checks/setting/table.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/setting/driver_rows.h"

namespace rdmaready {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using Kind = SettingKind;

SettingObject On(Kind kind, const std::string& where = "dcb0") { return {.kind = kind, .where = where}; }

std::set<SettingObject> RewrittenOn(const Facts& host, const SettingObject& object, const std::string& to) {
  const std::vector<PlanStep> steps{{.object = object, .from = ValueOf(host, object), .to = to}};
  return RewrittenBy(host, steps, SettingsOf(host));
}

Facts Of(const std::string& driver) {
  return WithNetdev([&](Netdev& netdev) { netdev.driver = driver; });
}

TEST(RewrittenBy, PfcOfMlx5MovesTheBuffersAndNothingElse) {
  EXPECT_THAT(RewrittenOn(Of("mlx5_core"), On(Kind::kPfc), "on 3,4 delay 0"), ElementsAre(On(Kind::kBuffer)));
  EXPECT_THAT(RewrittenOn(Of("mlx5_core"), On(Kind::kMaxRate), "0,0,0,1000000,0,0,0,0"), IsEmpty());
}

TEST(RewrittenBy, RowsOfIceMoveClassesPfcAndThePauseThatReads) {
  EXPECT_THAT(RewrittenOn(Of("ice"), On(Kind::kApp), "empty"),
              UnorderedElementsAre(On(Kind::kEts), On(Kind::kPfc), On(Kind::kPause)));
}

// ice commits its desired settings of both with a write of either, and no read shows them.
TEST(RewrittenBy, ClassesAndPfcOfIceBringEachOtherAlong) {
  EXPECT_THAT(RewrittenOn(Of("ice"), On(Kind::kPfc), "on 3,4 delay 0"),
              UnorderedElementsAre(On(Kind::kEts), On(Kind::kPause)));
  EXPECT_THAT(RewrittenOn(Of("ice"), On(Kind::kEts), EtsText("esssssss", "50,0,0,0,0,0,0,0", "00010000")),
              UnorderedElementsAre(On(Kind::kPfc), On(Kind::kPause)));
}

TEST(RewrittenBy, DriversThatWriteOneSettingAloneChangeNoOther) {
  for (const char* driver : {"bnxt_en", "cxgb4", "qede"}) {
    SCOPED_TRACE(driver);
    EXPECT_THAT(RewrittenOn(Of(driver), On(Kind::kPfc), "on 3,4 delay 0"), IsEmpty());
    EXPECT_THAT(RewrittenOn(Of(driver), On(Kind::kEts), EtsText("esssssss", "50,0,0,0,0,0,0,0", "00010000")),
                IsEmpty());
    EXPECT_THAT(RewrittenOn(Of(driver), On(Kind::kApp), "empty"), IsEmpty());
    EXPECT_THAT(RewrittenOn(Of(driver), On(Kind::kPause), "autoneg off rx on tx on"), IsEmpty());
  }
}

TEST(RewrittenBy, PfcOfOtherDriversChangesPauseAndNoClassesOrRows) {
  for (const char* driver : {"mlx4_en", "hns3", "i40e", "ixgbe"}) {
    SCOPED_TRACE(driver);
    EXPECT_THAT(RewrittenOn(Of(driver), On(Kind::kPfc), "on 3,4 delay 0"), ElementsAre(On(Kind::kPause)));
    EXPECT_THAT(RewrittenOn(Of(driver), On(Kind::kApp), "empty"), IsEmpty());
    EXPECT_THAT(RewrittenOn(Of(driver), On(Kind::kMaxRate), "0,0,0,1000000,0,0,0,0"), IsEmpty());
  }
}

TEST(RewrittenBy, PauseChangesPfcOfMlx4Alone) {
  EXPECT_THAT(RewrittenOn(Of("mlx4_en"), On(Kind::kPause), "autoneg off rx on tx on"),
              ElementsAre(On(Kind::kPfc)));
  for (const char* driver : {"hns3", "ixgbe", "ice", "mlx5_core"})
    EXPECT_THAT(RewrittenOn(Of(driver), On(Kind::kPause), "autoneg off rx on tx on"), IsEmpty()) << driver;
}

TEST(RewrittenBy, PauseOfI40eTakesTheLinkDownAndWithItTheClasses) {
  EXPECT_THAT(RewrittenOn(Of("i40e"), On(Kind::kPause), "autoneg off rx on tx on"),
              ElementsAre(On(Kind::kEts)));
}

// Older hns3 devices begin PFC mode with the second class (hclge_update_fc_mode_by_dcb_flag).
TEST(RewrittenBy, ClassesChangePauseOfHns3Alone) {
  const std::string classes = EtsText("esssssss", "50,0,0,0,0,0,0,0", "00010000");
  EXPECT_THAT(RewrittenOn(Of("hns3"), On(Kind::kEts), classes), ElementsAre(On(Kind::kPause)));
  for (const char* driver : {"mlx4_en", "i40e", "ixgbe"})
    EXPECT_THAT(RewrittenOn(Of(driver), On(Kind::kEts), classes), IsEmpty()) << driver;
}

TEST(RewrittenBy, TheVirtualNicByTheBookMayBehaveAsMlx4OrHns3) {
  EXPECT_THAT(RewrittenOn(GoodHost(), On(Kind::kPfc), "on 3,4 delay 0"), ElementsAre(On(Kind::kPause)));
  EXPECT_THAT(RewrittenOn(GoodHost(), On(Kind::kPause), "autoneg off rx on tx on"),
              ElementsAre(On(Kind::kPfc)));
  EXPECT_THAT(RewrittenOn(GoodHost(), On(Kind::kApp), "empty"), IsEmpty());
}

TEST(RewrittenBy, ADriverThatIsNotKnownMayMoveAllOfItsBridgingAndPause) {
  const std::set<SettingObject> rewritten = RewrittenOn(Of("enic"), On(Kind::kPfc), "on 3,4 delay 0");
  EXPECT_THAT(rewritten, Contains(On(Kind::kEts)));
  EXPECT_THAT(rewritten, Contains(On(Kind::kPause)));
  EXPECT_THAT(rewritten, Not(Contains(On(Kind::kMtu))));
  EXPECT_THAT(RewrittenOn(Of("enic"), On(Kind::kPause), "autoneg off rx on tx on"), Contains(On(Kind::kPfc)));
}

TEST(RewrittenBy, AChangeOfDcbxModeMayMoveAllOfIt) {
  const std::set<SettingObject> rewritten = RewrittenOn(Of("mlx5_core"), On(Kind::kDcbx), "fw ieee");
  EXPECT_THAT(rewritten, Contains(On(Kind::kEts)));
  EXPECT_THAT(rewritten, Contains(On(Kind::kPfc)));
}

TEST(RewrittenBy, AVlanFollowsTheMtuOfItsPortDown) {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  ports[0].uppers = std::vector<UpperNetdev>{
      {.name = "dcb0.100", .kind = "vlan", .over = {"dcb0"}, .mtu_bytes = 9000, .vlan_id = std::uint16_t{100}}};
  host.ports = ports;
  EXPECT_THAT(RewrittenOn(host, On(Kind::kMtu), "4200"), ElementsAre(On(Kind::kMtu, "dcb0.100")));
}

TEST(RewrittenBy, WithoutFactsEveryBridgingSettingOfTheNetdevMayMove) {
  const std::vector<Setting> all{
      {On(Kind::kEts), "x"}, {On(Kind::kMtu), "1500"}, {On(Kind::kEts, "dcb1"), "x"}};
  const std::vector<PlanStep> steps{{.object = On(Kind::kPfc), .from = "off delay 0", .to = "on 3 delay 0"}};
  EXPECT_THAT(RewrittenBy(Facts{}, steps, all), ElementsAre(On(Kind::kEts)));
}

}  // namespace
}  // namespace rdmaready
