// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/apply/device.h"
#include "checks/plan/take_back.h"
#include "tests/unit/agent/apply/sim_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using ::testing::Contains;
using ::testing::Not;

Setting SettingAt(SettingKind kind, std::string where, std::string name = "") {
  return {On(kind, std::move(where), std::move(name)), "0"};
}

Plan PlanOf(const SettingObject& object, const std::string& subject = "rxe0/1 dcb0") {
  return {.steps = {{.object = object, .from = "1", .to = "0", .subject = subject}}};
}

const std::vector<Setting> kAll{
    SettingAt(SettingKind::kPfc, "dcb0"),
    SettingAt(SettingKind::kEts, "dcb0"),
    SettingAt(SettingKind::kMtu, "dcb0.100"),
    SettingAt(SettingKind::kPfc, "dcb1"),
    SettingAt(SettingKind::kCmTos, "rxe0/1"),
    SettingAt(SettingKind::kCmTos, "rxe1/1"),
    SettingAt(SettingKind::kDevlinkParameter, "pci/0000:3b:00.0", "enable_roce"),
    SettingAt(SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_ignore"),
    SettingAt(SettingKind::kSysctl, "", "net.ipv4.conf.dcb0.arp_ignore"),
    SettingAt(SettingKind::kSysctl, "", "net.ipv4.conf.dcb0/100.arp_ignore"),
};

TEST(Snapshot, HasAllOfThePortThatIsTouchedAndNothingOfAnother) {
  const std::vector<Setting> snapshot =
      apply::SnapshotOf(GoodHost(), PlanOf(On(SettingKind::kPfc, "dcb0")), kAll);
  EXPECT_EQ(snapshot, (std::vector<Setting>{kAll[0], kAll[1], kAll[4], kAll[8]}));
}

TEST(Snapshot, HasWhatStandsOnThePort) {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  ports[0].uppers = std::vector<UpperNetdev>{{.name = "dcb0.100", .kind = "vlan"}};
  host.ports = ports;
  const std::vector<Setting> snapshot = apply::SnapshotOf(host, PlanOf(On(SettingKind::kMtu, "dcb0")), kAll);
  EXPECT_THAT(snapshot, Contains(kAll[2]));
  EXPECT_THAT(snapshot, Contains(kAll[9]));
  EXPECT_THAT(snapshot, Not(Contains(kAll[3])));
}

TEST(Snapshot, OfTheHostItselfHasOnlyWhatIsSet) {
  const std::vector<Setting> snapshot = apply::SnapshotOf(
      GoodHost(), PlanOf(On(SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_ignore"), "host"), kAll);
  EXPECT_EQ(snapshot, std::vector<Setting>{kAll[7]});
}

TEST(Snapshot, IsWrittenInTheOrderOfTheTable) {
  std::vector<Setting> settings = kAll;
  SortForWriting(settings);
  EXPECT_EQ(settings.front().object.kind, SettingKind::kDevlinkParameter);
  EXPECT_EQ(settings.back().object.kind, SettingKind::kCmTos);
}

TEST(Device, OfTheLoopbackIsItsInterfaceAndOfNothingIsNone) {
  EXPECT_EQ(*DeviceOf(On(SettingKind::kMtu, "lo")), 1U);
  EXPECT_EQ(*DeviceOf(On(SettingKind::kSysctl, "", "net.ipv4.conf.lo.arp_ignore")), 1U);
  EXPECT_TRUE(DeviceOf(On(SettingKind::kSysctl, "", "net.ipv4.conf.all.arp_ignore")).ok());
  EXPECT_TRUE(absl::IsNotFound(DeviceOf(On(SettingKind::kMtu, "nosuch0")).status()));
  EXPECT_TRUE(absl::IsNotFound(DeviceOf(On(SettingKind::kCmTos, "nosuch0/1")).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(DeviceOf(On(SettingKind::kMtu, "../lo")).status()));
}

}  // namespace
}  // namespace rdmaready
