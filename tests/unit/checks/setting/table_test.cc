// SPDX-License-Identifier: Apache-2.0
// The table as a whole: complete, in order, and reading what the host has, each object once.
#include "checks/setting/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/model/rights.h"
#include "checks/catalog.h"
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/setting/settings_of.h"

namespace rdmaready {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string ValueNow(const Facts& host, const SettingObject& object) { return ValueOf(host, object); }

std::vector<std::string> ObjectsOf(const Facts& host, SettingKind kind) {
  std::vector<std::string> objects;
  for (const Setting& setting : RowOf(kind).read(host)) objects.push_back(TextOf(setting.object));
  return objects;
}

// Of each kind two values that a host may have.
struct TwoValues {
  SettingObject object;
  std::string_view from;
  std::string_view to;
};
const std::vector<TwoValues>& EachKind() {
  static const std::vector<TwoValues> kAll{
      {OfDcb0(SettingKind::kPause), "autoneg off rx on tx on", "autoneg off rx off tx off"},
      {OfDcb0(SettingKind::kPrivateFlag, "fw-lldp-agent"), "on", "off"},
      {{SettingKind::kDevlinkParameter, "pci/0000:3b:00.0", "enable_roce"}, "false", "true"},
      {OfDcb0(SettingKind::kDcbx), "lld-managed ieee", "host ieee"},
      {OfDcb0(SettingKind::kMtu), "1500", "9000"},
      {OfDcb0(SettingKind::kApp), "empty", "dscp:26:3"},
      {OfDcb0(SettingKind::kTrust), "pcp", "dscp pcp"},
      {OfDcb0(SettingKind::kEts),
       "willing on tsa ets,strict,strict,strict,strict,strict,strict,strict tx 100,0,0,0,0,0,0,0 prio "
       "0,0,0,0,0,0,0,0",
       "willing off tsa ets,strict,strict,ets,strict,strict,strict,strict tx 50,0,0,50,0,0,0,0 prio "
       "0,0,0,3,0,0,0,0"},
      {OfDcb0(SettingKind::kPfc), "off delay 0", "on 3 delay 0"},
      {OfDcb0(SettingKind::kBuffer), "prio 0,0,0,0,0,0,0,0 size 262144,0,0,0,0,0,0,0",
       "prio 0,0,0,1,0,0,0,0 size 131072,131072,0,0,0,0,0,0"},
      {OfDcb0(SettingKind::kMaxRate), "0,0,0,1000000,0,0,0,0", "0,0,0,0,0,0,0,0"},
      {{SettingKind::kVlanEgress, "dcb0.711", ""}, "empty", "0:3"},
      {{SettingKind::kVlanReorder, "dcb0.711", ""}, "off", "on"},
      {{SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_ignore"}, "0", "2"},
      {{SettingKind::kCmMode, "rxe0/1", ""}, "IB/RoCE v1", "RoCE v2"},
      {{SettingKind::kCmTos, "rxe0/1", ""}, "0", "106"},
  };
  return kAll;
}

TEST(SettingTable, HasARowForEachKindInTheOrderOfWriting) {
  std::vector<SettingKind> kinds;
  for (const SettingRow& row : SettingTable()) kinds.push_back(row.kind);
  EXPECT_EQ(kinds, std::vector<SettingKind>(kSettingKinds.begin(), kSettingKinds.end()));
  for (const SettingKind kind : kSettingKinds) EXPECT_EQ(RowOf(kind).kind, kind);
}

TEST(SettingTable, HasNoRowWithAGap) {
  for (const SettingRow& row : SettingTable()) {
    SCOPED_TRACE(NameOf(row.kind));
    EXPECT_THAT(row.api, Not(IsEmpty()));
    EXPECT_THAT(row.right, HasSubstr("-settings"));
    EXPECT_THAT(row.serves, Not(IsEmpty()));
    EXPECT_NE(row.read, nullptr);
    EXPECT_NE(row.commands, nullptr);
    EXPECT_NE(row.disturbs, nullptr);
  }
}

TEST(SettingTable, NeedsOnlyRightsOfTheApplier) {
  for (const SettingRow& row : SettingTable()) {
    const auto* const right = std::ranges::find(kRights, row.right, &Right::feature);
    ASSERT_NE(right, kRights.end()) << NameOf(row.kind);
    EXPECT_EQ(right->daemon, Daemon::kApplier) << NameOf(row.kind);
  }
}

TEST(SettingTable, ServesChecksThatExist) {
  for (const SettingRow& row : SettingTable()) {
    for (const std::string_view id : row.serves)
      EXPECT_NE(FindCheck(std::string(id)), nullptr) << NameOf(row.kind) << ": " << id;
  }
}

// A rollback is typed by hand, too.
TEST(SettingTable, HasCommandsThereAndBackAndNoneForWhatIsSo) {
  for (const std::string_view driver : {"dcbnic", "mlx5_core", "bnxt_en", "ice", "mlx4_en", "qede", ""}) {
    const Facts host = OfDriver(driver);
    for (const TwoValues& two : EachKind()) {
      SCOPED_TRACE(TextOf(two.object) + " of " + std::string(driver));
      ASSERT_TRUE(IsCanonical(two.object.kind, two.from));
      ASSERT_TRUE(IsCanonical(two.object.kind, two.to));
      const SettingPlace place = PlaceOf(host, two.object);
      EXPECT_THAT(CommandsOf(place, two.from, two.to), Not(IsEmpty()));
      EXPECT_THAT(CommandsOf(place, two.to, two.from), Not(IsEmpty()));
      EXPECT_THAT(CommandsOf(place, two.from, two.from), IsEmpty());
      EXPECT_FALSE(RemedyFor(place, two.from, two.to).empty());
      EXPECT_TRUE(RemedyFor(place, two.to, two.to).empty());
      EXPECT_THAT(CommandsOf(place, two.from, "nonsense"), IsEmpty());
      EXPECT_GT(RowOf(two.object.kind).disturbs(place, two.from, two.to).estimate_ms, 0U);
    }
  }
}

TEST(SettingTable, CoversEachKindInThisTest) {
  std::set<SettingKind> kinds;
  for (const TwoValues& two : EachKind()) kinds.insert(two.object.kind);
  EXPECT_EQ(kinds.size(), kSettingKinds.size());
}

// ---- reading ----

TEST(SettingsOf, TheGoodHostAreThoseOfItsNicAndTheHost) {
  const Facts host = GoodHost();
  EXPECT_EQ(ValueNow(host, OfDcb0(SettingKind::kPause)), "autoneg off rx off tx off");
  EXPECT_EQ(ValueNow(host, OfDcb0(SettingKind::kDcbx)), "host ieee");
  EXPECT_EQ(ValueNow(host, OfDcb0(SettingKind::kMtu)), "9000");
  EXPECT_EQ(ValueNow(host, OfDcb0(SettingKind::kPfc)), "on 3 delay 0");
  EXPECT_EQ(ValueNow(host, OfDcb0(SettingKind::kApp)), "dscp:26:3");
  EXPECT_EQ(ValueNow(host, OfDcb0(SettingKind::kMaxRate)), "0,0,0,0,0,0,0,0");
  EXPECT_EQ(ValueNow(host, OfDcb0(SettingKind::kBuffer)),
            "prio 0,0,0,1,0,0,0,0 size 131072,131072,0,0,0,0,0,0");
  EXPECT_THAT(ValueNow(host, OfDcb0(SettingKind::kEts)),
              HasSubstr("tx 50,0,0,50,0,0,0,0 prio 0,0,0,3,0,0,0,0"));
  EXPECT_EQ(ValueNow(host, {SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_ignore"}), "0");
  EXPECT_EQ(ValueNow(host, {SettingKind::kCmMode, "rxe0/1", ""}), "RoCE v2");
  EXPECT_EQ(ValueNow(host, {SettingKind::kCmTos, "rxe0/1", ""}), "106");
}

TEST(SettingsOf, AHostAreSortedCanonicalAndOfOneObjectOnce) {
  for (const Facts& host : {GoodHost(), GoodNic(), Converged(), OnVlan(), OfDriver("ice")}) {
    std::set<SettingObject> objects;
    SettingKind last = SettingKind::kUnknown;
    for (const SettingRow& row : SettingTable()) {
      const std::vector<Setting> read = row.read(host);
      EXPECT_TRUE(std::ranges::is_sorted(read, {}, &Setting::object)) << NameOf(row.kind);
      for (const Setting& setting : read) EXPECT_EQ(setting.object.kind, row.kind);
    }
    for (const Setting& setting : SettingsOf(host)) {
      EXPECT_TRUE(IsCanonical(setting.object.kind, setting.value)) << TextOf(setting.object) << setting.value;
      EXPECT_TRUE(objects.insert(setting.object).second) << TextOf(setting.object);
      EXPECT_EQ(ValueOf(host, setting.object), setting.value);
      last = setting.object.kind;
    }
    EXPECT_EQ(last, SettingKind::kCmTos);
  }
}

TEST(SettingsOf, ANetdevThatTwoPortsShareAreThereOnce) {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  ports.push_back(ports.front());
  ports.back().device = "rxe1";
  host.ports = ports;
  EXPECT_THAT(ObjectsOf(host, SettingKind::kPfc), ElementsAre("pfc of dcb0"));
  EXPECT_THAT(ObjectsOf(host, SettingKind::kCmTos), ElementsAre("cm-tos of rxe0/1", "cm-tos of rxe1/1"));
  const SettingObject pfc = OfDcb0(SettingKind::kPfc);
  EXPECT_EQ(PlaceOf(host, pfc).port->device, "rxe0");
}

TEST(SettingsOf, WhatIsNotKnownAreLeftOut) {
  const Facts host = WithDcb([](Dcb& dcb) {
    dcb.pfc = Denied();
    dcb.ets = Missing();
  });
  EXPECT_THAT(ObjectsOf(host, SettingKind::kPfc), IsEmpty());
  EXPECT_EQ(ValueNow(host, OfDcb0(SettingKind::kEts)), "");
  EXPECT_THAT(ObjectsOf(host, SettingKind::kApp), Not(IsEmpty()));
  Facts nothing;
  EXPECT_THAT(SettingsOf(nothing), IsEmpty());
}

TEST(SettingsOf, LeavesOutSettingsOfTheFirmware) {
  const auto managed = [](std::string_view driver) {
    return OfDriver(driver, [](Netdev& netdev) { netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true}; });
  };
  for (const std::string_view driver : {"ice", "bnxt_en", "i40e"}) {
    const Facts host = managed(driver);
    for (const SettingKind kind : {SettingKind::kEts, SettingKind::kPfc, SettingKind::kApp})
      EXPECT_EQ(ValueOf(host, OfDcb0(kind)), "") << driver;
    EXPECT_EQ(ValueOf(host, OfDcb0(SettingKind::kDcbx)), "lld-managed ieee") << driver;
  }
  EXPECT_EQ(ValueOf(managed("cxgb4"), OfDcb0(SettingKind::kPfc)), "");
  EXPECT_EQ(ValueOf(managed("cxgb4"), OfDcb0(SettingKind::kApp)), "dscp:26:3");
  EXPECT_EQ(ValueOf(managed("mlx5_core"), OfDcb0(SettingKind::kPfc)), "on 3 delay 0");
}

TEST(SettingsOf, WhatHasNoTextAreLeftOut) {
  const Facts odd = WithEts([](Ets& ets) { ets.tsa[2] = static_cast<Tsa>(9); });
  EXPECT_EQ(ValueNow(odd, OfDcb0(SettingKind::kEts)), "");
  const Facts unfilled = WithNetdev([](Netdev& netdev) { netdev.mtu_bytes = 0; });
  EXPECT_EQ(ValueNow(unfilled, OfDcb0(SettingKind::kMtu)), "");
}

TEST(SettingsOf, AVlanAreItsMapAndItsMtu) {
  const Facts host = OnVlan();
  EXPECT_THAT(ObjectsOf(host, SettingKind::kVlanEgress), ElementsAre("vlan-egress of dcb0.711"));
  EXPECT_THAT(ObjectsOf(host, SettingKind::kVlanReorder), ElementsAre("vlan-reorder of dcb0.711"));
  EXPECT_THAT(ObjectsOf(host, SettingKind::kMtu), ElementsAre("mtu of dcb0", "mtu of dcb0.711"));
  EXPECT_THAT(ObjectsOf(host, SettingKind::kPfc), ElementsAre("pfc of dcb0"));
}

TEST(SettingsOf, APortOnABondAreThoseOfItsMembers) {
  const Facts host = WithPort([](Port& port) {
    Netdev bond = *port.netdev;
    Netdev lower = *port.netdev;
    bond.name = "bond0";
    bond.driver = "bond";
    port.lowers = std::vector<Netdev>{lower};
    port.netdev = bond;
  });
  EXPECT_THAT(ObjectsOf(host, SettingKind::kPfc), ElementsAre("pfc of dcb0"));
  EXPECT_THAT(ObjectsOf(host, SettingKind::kMtu), ElementsAre("mtu of bond0", "mtu of dcb0"));
}

TEST(SettingsOf, DevlinkAreWhatTakesEffectAtOnce) {
  const Facts host = HardwareNic([](Port& port, PciFunction&) {
    port.devlink.parameters = std::vector<DevlinkParameter>{{.name = "enable_roce", .driverinit = "true"},
                                                            {.name = "enable_iwarp", .runtime = "false"}};
  });
  const std::vector<Setting> read = RowOf(SettingKind::kDevlinkParameter).read(host);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].object.name, "enable_iwarp");
  EXPECT_EQ(read[0].value, "false");
  EXPECT_EQ(read[0].object.where, "pci/" + host.ports->front().pci->address);
  const SettingPlace place = PlaceOf(host, read[0].object);
  ASSERT_NE(place.netdev, nullptr);
  EXPECT_EQ(place.netdev->driver, "mlx5_core");
}

TEST(SettingPlace, OfAVlanHasThePortBelowAndNoNetdevOfItsOwn) {
  const Facts host = OnVlan();
  const SettingObject vlan{SettingKind::kVlanEgress, "dcb0.711", ""};
  EXPECT_EQ(PlaceOf(host, vlan).netdev, nullptr);
  ASSERT_NE(PlaceOf(host, vlan).port, nullptr);
  const SettingObject nobody{SettingKind::kPfc, "eth9", ""};
  EXPECT_EQ(PlaceOf(host, nobody).netdev, nullptr);
  EXPECT_EQ(PlaceOf(host, nobody).port, nullptr);
}

// ---- bnxt_en's record ----

TEST(SettingDoubt, IsOfWhatBnxtKeepsForItself) {
  const auto of = [](const Facts& host, SettingKind kind) {
    const SettingObject object = OfDcb0(kind);
    return DoubtOf(PlaceOf(host, object));
  };
  const Facts set = OfDriver("bnxt_en");
  EXPECT_EQ(of(set, SettingKind::kPfc), "");
  EXPECT_EQ(of(set, SettingKind::kEts), "");
  const Facts unset = OfDriver("bnxt_en", [](Netdev& netdev) {
    netdev.dcb.pfc = Pfc{};
    netdev.dcb.ets = Ets{};
  });
  EXPECT_THAT(of(unset, SettingKind::kPfc), HasSubstr("NVM"));
  EXPECT_THAT(of(unset, SettingKind::kEts), HasSubstr("NVM"));
  EXPECT_EQ(of(unset, SettingKind::kApp), "");
  // It is there all the same: dcbnl compares with it.
  EXPECT_EQ(ValueOf(unset, OfDcb0(SettingKind::kPfc)), "off delay 0");
  const Facts of_firmware = OfDriver("bnxt_en", [](Netdev& netdev) { netdev.dcb.dcbx = Dcbx{.ieee = true}; });
  EXPECT_THAT(of(of_firmware, SettingKind::kPfc), HasSubstr("first read"));
  EXPECT_EQ(of(OfDriver("mlx5_core"), SettingKind::kPfc), "");
}

}  // namespace
}  // namespace rdmaready
