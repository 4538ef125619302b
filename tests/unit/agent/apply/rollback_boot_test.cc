// SPDX-License-Identifier: Apache-2.0
// A change that was open when the host was started anew: a device may have kept what was written, and a file of
// the boot may set the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;

class RollbackAfterBoot : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(shop.Start().ok()); }

  Workshop shop;
  const SimHost::Values before = PlainHost();
  const SimHost::Values after = With(PlainHost(), WantedOfDcb0());
};

TEST_F(RollbackAfterBoot, PutsBackASettingThatADeviceKeptOverABoot) {
  shop.order.proof = false;
  const absl::StatusOr<Change> applied = shop.Apply();
  ASSERT_TRUE(applied.ok()) << applied.status();
  shop.boot_id = "boot-2";
  shop.host.values = With(before, {{kPfc, after.at(kPfc)}, {kEts, EtsText(10, 90)}});
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values, With(before, {{kEts, EtsText(10, 90)}})) << "somebody's, since";
  const Change ended = shop.applier->Status()->changes.front();
  EXPECT_EQ(ended.state, ChangeState::kRolledBack);
  EXPECT_THAT(ended.reason,
              HasSubstr("the host was started anew, and not all of what was written was gone; put "
                        "back: pfc of dcb0"));
  EXPECT_THAT(ended.reason, HasSubstr("left as it is: ets of dcb0"));
}

TEST_F(RollbackAfterBoot, LeavesASettingThatAFileOfTheBootSetsAsTheChangeDid) {
  shop.order.proof = false;
  ASSERT_TRUE(shop.Apply().ok());
  const SimHost::Values booted = With(before, {{kPfc, after.at(kPfc)}, {kEts, after.at(kEts)}});
  shop.boot_id = "boot-2";
  shop.host.values = booted;
  shop.facts.boot_writes = std::vector<BootWrite>{
      {.file = "/etc/rc.local", .started = "/etc/rc.local", .setting = "pfc", .object = "dcb0", .value = "3"}};
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values, With(booted, {{kEts, before.at(kEts)}})) << "the file has no classes";
  const Change ended = shop.applier->Status()->changes.front();
  EXPECT_EQ(ended.state, ChangeState::kRolledBack);
  EXPECT_THAT(ended.reason, HasSubstr("pfc of dcb0 is left, because /etc/rc.local sets it so at each boot"));
  EXPECT_THAT(ended.steps[kPfcStep].text, HasSubstr("/etc/rc.local"));
}

TEST_F(RollbackAfterBoot, PutsBackWhatAFileOfTheBootSetsOtherwise) {
  shop.order.proof = false;
  ASSERT_TRUE(shop.Apply().ok());
  shop.boot_id = "boot-2";
  shop.host.values = With(before, {{kPfc, after.at(kPfc)}});
  shop.facts.boot_writes = std::vector<BootWrite>{
      {.file = "/etc/rc.local", .started = "/etc/rc.local", .setting = "pfc", .object = "dcb0", .value = "5"}};
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values, before) << "the file did not run";
}

TEST_F(RollbackAfterBoot, LeavesADeviceThatComesLateAsAFileOfTheBootSetsIt) {
  shop.order.proof = false;
  ASSERT_TRUE(shop.Apply().ok());
  shop.boot_id = "boot-2";
  shop.host.values = before;
  shop.host.gone = {"dcb0"};
  shop.facts.boot_writes = std::vector<BootWrite>{{.file = "/etc/udev/rules.d/70-roce.rules",
                                                   .started = "/etc/udev/rules.d/70-roce.rules",
                                                   .setting = "pfc",
                                                   .value = "3"}};
  ASSERT_TRUE(shop.Start().ok());
  shop.host.values[kPfc] = after.at(kPfc);
  shop.host.gone.clear();
  ASSERT_TRUE(shop.applier->Restore(RestoreCause::kDeviceAppeared).ok());
  EXPECT_EQ(shop.host.values.at(kPfc), after.at(kPfc));
  EXPECT_FALSE(shop.applier->Busy());
}

TEST_F(RollbackAfterBoot, FailsWhereADeviceKeptASettingOverABootAndRefusesTheOldOne) {
  shop.order.proof = false;
  ASSERT_TRUE(shop.Apply().ok());
  shop.boot_id = "boot-2";
  shop.host.values = With(before, {{kPfc, after.at(kPfc)}});
  shop.host.refuses = {kPfc};
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.applier->Status()->changes.front().state, ChangeState::kRollbackFailed);
  EXPECT_EQ(shop.applier->Status()->changes.front().steps[kPfcStep].state, StepState::kNotTakenBack);
}

TEST_F(RollbackAfterBoot, FailsAfterABootWhereASettingCannotBeRead) {
  shop.order.proof = false;
  ASSERT_TRUE(shop.Apply().ok());
  shop.boot_id = "boot-2";
  shop.host.values = before;
  shop.host.unreadable = {kPfc};
  ASSERT_TRUE(shop.Start().ok());
  const Change ended = shop.applier->Status()->changes.front();
  EXPECT_EQ(ended.state, ChangeState::kRollbackFailed);
  EXPECT_THAT(ended.reason, HasSubstr("not as before: pfc of dcb0: it cannot be read"));
}

TEST_F(RollbackAfterBoot, ReadsADeviceThatComesLateAfterABoot) {
  for (const bool kept : {true, false}) {
    shop.boot_id = kept ? "boot-1" : "boot-3";
    ASSERT_TRUE(shop.Start().ok());
    shop.order.proof = false;
    shop.host.values = before;
    ASSERT_TRUE(shop.Apply().ok());
    shop.boot_id = kept ? "boot-2" : "boot-4";
    shop.host.values = before;
    shop.host.gone = {"dcb0"};
    ASSERT_TRUE(shop.Start().ok());
    EXPECT_THAT(shop.applier->Status()->changes.front().reason, HasSubstr("not every device is there yet"));
    EXPECT_TRUE(shop.applier->Busy());
    shop.host.values[kPfc] = kept ? after.at(kPfc) : "on 5 delay 0";
    shop.host.gone.clear();
    ASSERT_TRUE(shop.applier->Restore(RestoreCause::kDeviceAppeared).ok());
    EXPECT_EQ(shop.host.values.at(kPfc), kept ? "off delay 0" : "on 5 delay 0");
    EXPECT_FALSE(shop.applier->Busy());
  }
}

}  // namespace
}  // namespace rdmaready
