// SPDX-License-Identifier: Apache-2.0
// Each driver that misbehaves, and each second writer, ends in the old state with the right words, or says
// loudly that it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/apply/workshop.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;

const SettingObject kApp = On(SettingKind::kApp);

class RollbackTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(shop.Start().ok()); }

  Change Applied() {
    absl::StatusOr<Change> change = shop.Apply();
    EXPECT_TRUE(change.ok()) << change.status();
    return change.ok() ? *change : Change{};
  }

  Workshop shop;
  const SimHost::Values before = PlainHost();
  const SimHost::Values after = With(PlainHost(), WantedOfDcb0());
};

TEST_F(RollbackTest, ADriverThatRefusesEndsInTheOldStateWithItsWords) {
  shop.host.refuses = {kPfc};
  const Change change = Applied();
  EXPECT_EQ(change.state, ChangeState::kRolledBack);
  EXPECT_THAT(change.reason, HasSubstr("pfc of dcb0: set it: Operation not supported"));
  EXPECT_EQ(change.steps[kPfcStep].state, StepState::kRefused);
  EXPECT_EQ(change.steps[0].state, StepState::kTakenBack);
  EXPECT_EQ(change.steps[5].state, StepState::kNotBegun);
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(RollbackTest, ADriverThatSaysYesAndDoesNothingIsNotBelieved) {
  shop.host.deaf = {kPfc};
  const Change change = Applied();
  EXPECT_EQ(change.state, ChangeState::kRolledBack);
  EXPECT_EQ(change.steps[kPfcStep].state, StepState::kNotTaken);
  EXPECT_THAT(change.steps[kPfcStep].text, HasSubstr("the answer was yes, and it is \"off delay 0\""));
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(RollbackTest, ADriverThatTakesItsTimeIsWaitedFor) {
  shop.host.deaf = {kPfc};
  shop.host.point = [&, until = shop.clock.Now() + std::chrono::milliseconds(300)] {
    if (shop.clock.Now() >= until) shop.host.values[kPfc] = "on 3 delay 0";
  };
  EXPECT_EQ(Applied().state, ChangeState::kProving);
}

TEST_F(RollbackTest, ADriverThatAnswersZerosEndsInTheOldStateOrSaysThatNobodyKnows) {
  shop.host.effect = [&](const SettingObject& object) {
    if (object == kEts) shop.host.zeros[kEts] = EtsText(0, 0);
  };
  const Change change = Applied();
  EXPECT_EQ(change.state, ChangeState::kRollbackFailed);
  EXPECT_EQ(change.steps[2].state, StepState::kNotTakenBack);
  EXPECT_THAT(change.reason, HasSubstr("not as before: ets of dcb0"));
  EXPECT_EQ(shop.host.values, before);  // it was written back, and cannot be seen
  shop.host.zeros.clear();
  EXPECT_EQ(shop.applier->RollBack(change.id, "root")->state, ChangeState::kRolledBack);
}

TEST_F(RollbackTest, ALinkThatBouncesIsWaitedForWhenItIsTakenBack) {
  shop.host.refuses = {kApp};
  shop.host.on_request = [&](const SettingObject& object) {
    if (object != kApp) return;
    shop.host.unreadable = {kPfc, kEts};
    const Clock::TimePoint until = shop.clock.Now() + std::chrono::milliseconds(700);
    shop.host.point = [&, until] {
      if (shop.clock.Now() >= until) shop.host.unreadable.clear();
    };
  };
  const Change change = Applied();
  EXPECT_EQ(change.state, ChangeState::kRolledBack) << change.reason;
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(RollbackTest, ASecondWriterOfTheSameSettingStopsIt) {
  shop.host.effect = [&](const SettingObject& object) {
    if (object == kEts) shop.host.values[kPfc] = "on 5 delay 0";
  };
  const Change change = Applied();
  EXPECT_EQ(change.state, ChangeState::kRolledBack);
  EXPECT_EQ(change.steps[kPfcStep].state, StepState::kForeignWrite);
  EXPECT_THAT(change.reason,
              HasSubstr("somebody else is configuring: it was \"off delay 0\" and is \"on 5 delay 0\""));
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(RollbackTest, ANoticeOfASecondWriterStopsIt) {
  shop.host.effect = [&](const SettingObject& object) {
    if (object == kEts) shop.foreign.heard = "DCB settings of dcb0 were written by somebody else";
  };
  const Change change = Applied();
  EXPECT_EQ(change.state, ChangeState::kRolledBack);
  EXPECT_THAT(change.reason, HasSubstr("DCB settings of dcb0 were written by somebody else"));
  EXPECT_EQ(change.steps[kPfcStep].state, StepState::kNotBegun);
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(RollbackTest, OnlyANoticeOfWhatIsTouchedStopsIt) {
  Applied();
  EXPECT_TRUE(shop.foreign.only.contains("dcb0"));
  EXPECT_FALSE(shop.foreign.only.contains("dcb1"));
}

TEST_F(RollbackTest, WhatADriverRewroteBesidesIsPutBackToo) {
  // As ice does with ETS when DSCP rows come and go.
  shop.host.effect = [&](const SettingObject& object) {
    if (object == kApp) shop.host.values[kEts] = EtsText(0, 100);
    if (object == kApp) shop.host.values[On(SettingKind::kBuffer)] = Text(BufferSetting{.size_bytes = {4096}});
  };
  shop.host.refuses = {On(SettingKind::kTrust)};
  const Change change = Applied();
  EXPECT_EQ(change.state, ChangeState::kRolledBack) << change.reason;
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(RollbackTest, WhatSomebodyElseSetOnAnotherPortMeanwhileStays) {
  const absl::StatusOr<Change> change = shop.Apply();
  shop.host.values[On(SettingKind::kPfc, "dcb1")] = "on 3 delay 0";
  EXPECT_EQ(shop.applier->RollBack(change->id, "root")->state, ChangeState::kRolledBack);
  EXPECT_EQ(shop.host.values, With(before, {{On(SettingKind::kPfc, "dcb1"), "on 3 delay 0"}}));
}

TEST_F(RollbackTest, AFailedRollbackIsStickyUntilOneSucceeds) {
  const absl::StatusOr<Change> applied = shop.Apply();
  shop.host.refuses = {kPfc};
  const absl::StatusOr<Change> failed = shop.applier->RollBack(applied->id, "root");
  EXPECT_EQ(failed->state, ChangeState::kRollbackFailed);
  EXPECT_EQ(failed->steps[kPfcStep].state, StepState::kNotTakenBack);
  EXPECT_THAT(failed->reason, HasSubstr("pfc of dcb0: it is \"on 3 delay 0\" and was \"off delay 0\" (set it"));
  EXPECT_EQ(shop.host.values, With(before, {{kPfc, "on 3 delay 0"}}));

  for (int life = 0; life < 2; ++life) {
    ASSERT_TRUE(shop.Start().ok());
    const ApplierStatus status = *shop.applier->Status();
    ASSERT_EQ(status.changes.size(), 1U);
    EXPECT_EQ(status.changes.front().state, ChangeState::kRollbackFailed);
    const absl::Status refused = shop.Apply().status();
    EXPECT_TRUE(absl::IsFailedPrecondition(refused));
    EXPECT_THAT(std::string(refused.message()), HasSubstr(applied->id));
  }
  EXPECT_EQ(shop.applier->RollBack(applied->id, "root")->state, ChangeState::kRollbackFailed);
  shop.host.refuses.clear();
  shop.clock.Advance(std::chrono::minutes(1));
  EXPECT_EQ(shop.applier->RollBack(applied->id, "root")->state, ChangeState::kRolledBack);
  EXPECT_EQ(shop.host.values, before);
  EXPECT_EQ(Applied().state, ChangeState::kProving);
}

TEST_F(RollbackTest, SpacesRetriesOfAFailedRollbackButForRoot) {
  const absl::StatusOr<Change> applied = shop.Apply();
  shop.host.refuses = {kPfc};
  const std::string id = applied->id;
  ASSERT_EQ(shop.applier->RollBack(id, "bob")->state, ChangeState::kRollbackFailed);
  int tries = 0;
  for (int second = 0; second < 3600; ++second) {
    const std::size_t asked = shop.host.asked.size();
    const absl::StatusOr<Change> again = shop.applier->RollBack(id, "root, as the agent says");
    if (again.ok()) {
      ++tries;
    } else {
      EXPECT_TRUE(absl::IsResourceExhausted(again.status()));
      EXPECT_THAT(std::string(again.status().message()), HasSubstr("the next try may be made at 20"));
      EXPECT_EQ(shop.host.asked.size(), asked) << "nothing is written";
    }
    shop.clock.Advance(std::chrono::seconds(1));
  }
  // At once, and after 1, 2, 4, 8 and 16 minutes more (with what each try takes).
  EXPECT_EQ(tries, 6);
  ASSERT_FALSE(shop.applier->RollBack(id, "bob").ok());
  EXPECT_EQ(shop.applier->RollBackForRoot(id, "root")->state, ChangeState::kRollbackFailed);
  EXPECT_EQ(shop.applier->RollBackForRoot(id, "root")->state, ChangeState::kRollbackFailed);
  shop.host.refuses.clear();
  EXPECT_EQ(shop.applier->RollBackForRoot(id, "root")->state, ChangeState::kRolledBack);
}

TEST_F(RollbackTest, KeepsAndNamesAnMtuThatAnAdministratorChanged) {
  const SettingObject mtu = On(SettingKind::kMtu);
  std::erase_if(shop.wanted, [&](const Setting& setting) { return setting.object == mtu; });
  for (const bool killed : {false, true}) {
    shop.order.proof = false;
    const absl::StatusOr<Change> applied = shop.Apply();
    ASSERT_TRUE(applied.ok()) << applied.status();
    shop.host.values[mtu] = "4200";
    if (killed)
      ASSERT_TRUE(shop.Start().ok());
    else
      ASSERT_TRUE(shop.applier->RollBack(applied->id, "root").ok());
    EXPECT_EQ(shop.host.values, With(before, {{mtu, "4200"}})) << killed;
    const Change ended = shop.applier->Status()->changes.front();
    EXPECT_EQ(ended.state, ChangeState::kRolledBack);
    EXPECT_THAT(ended.reason, HasSubstr("left as it is: mtu of dcb0: it is \"4200\" and was \"1500\""));
    shop.host.values = before;
  }
}

// A port of mlx5, and a VLAN on it.
Facts HostOfMlx5() {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports[0].netdev;
  netdev.driver = "mlx5_core";
  netdev.mtu_bytes = 9000;
  ports[0].netdev = netdev;
  ports[0].uppers = std::vector<UpperNetdev>{
      {.name = "dcb0.100", .kind = "vlan", .over = {"dcb0"}, .mtu_bytes = 9000, .vlan_id = std::uint16_t{100}}};
  host.ports = ports;
  return host;
}

TEST_F(RollbackTest, WritesBesideTheStepsOnlySettingsThatTheDriverRewrites) {
  shop.facts = HostOfMlx5();
  shop.wanted = {{kPfc, "on 3 delay 0"}};
  const absl::StatusOr<Change> applied = shop.Apply();
  ASSERT_TRUE(applied.ok()) << applied.status();
  shop.host.values[On(SettingKind::kBuffer)] = Text(BufferSetting{.size_bytes = {4096}});  // as firmware does
  shop.host.values[kEts] = EtsText(10, 90);                                                // somebody's
  const absl::StatusOr<Change> change = shop.applier->RollBack(applied->id, "root");
  EXPECT_EQ(change->state, ChangeState::kRolledBack) << change->reason;
  EXPECT_EQ(shop.host.values, With(before, {{kEts, EtsText(10, 90)}}));
  EXPECT_THAT(change->reason, HasSubstr("left as it is: ets of dcb0"));
}

TEST_F(RollbackTest, PutsBackAVlanMtuThatFellWithItsPortAndNoOther) {
  const SettingObject vlan = On(SettingKind::kMtu, "dcb0.100");
  for (const bool by_somebody : {false, true}) {
    shop.facts = HostOfMlx5();
    shop.host.values[On(SettingKind::kMtu)] = "9000";
    shop.host.values[vlan] = "9000";
    const SimHost::Values was = shop.host.values;
    shop.wanted = {{On(SettingKind::kMtu), "4200"}};
    shop.host.effect = [&](const SettingObject& object) {
      if (object == On(SettingKind::kMtu) && shop.host.values[object] == "4200")
        shop.host.values[vlan] = "4200";
    };
    const absl::StatusOr<Change> applied = shop.Apply();
    ASSERT_TRUE(applied.ok()) << applied.status();
    if (by_somebody) shop.host.values[vlan] = "1400";
    ASSERT_EQ(shop.applier->RollBack(applied->id, "root")->state, ChangeState::kRolledBack);
    EXPECT_EQ(shop.host.values, by_somebody ? With(was, {{vlan, "1400"}}) : was);
  }
}

TEST_F(RollbackTest, ANewLifeTriesAFailedRollbackOnceMore) {
  const absl::StatusOr<Change> applied = shop.Apply();
  shop.host.refuses = {kPfc};
  ASSERT_EQ(shop.applier->RollBack(applied->id, "root")->state, ChangeState::kRollbackFailed);
  shop.host.refuses.clear();
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_TRUE(shop.host.values == before);
  const Change ended = shop.applier->Status()->changes.front();
  EXPECT_EQ(ended.state, ChangeState::kRolledBack);
  EXPECT_EQ(ended.reason, "asked for by root");
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(Applied().state, ChangeState::kProving);
}

TEST_F(RollbackTest, AFailedRollbackOfAnEarlierBootIsEndedWithoutAWrite) {
  const absl::StatusOr<Change> applied = shop.Apply();
  shop.host.refuses = {kPfc};
  ASSERT_EQ(shop.applier->RollBack(applied->id, "root")->state, ChangeState::kRollbackFailed);
  shop.host.refuses.clear();
  shop.boot_id = "boot-2";
  shop.host.values = With(before, {{kEts, EtsText(10, 90)}});  // somebody's, since
  shop.host.asked.clear();
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_TRUE(shop.host.asked.empty());
  const Change ended = shop.applier->Status()->changes.front();
  EXPECT_EQ(ended.state, ChangeState::kRolledBack);
  EXPECT_THAT(ended.reason, HasSubstr("the host was started anew"));
  EXPECT_TRUE(absl::IsNotFound(shop.applier->RollBack(applied->id, "root").status()));
}

TEST_F(RollbackTest, AOneWayStepStaysAndIsNoFailure) {
  shop.one_way = {kPfc};
  shop.permission->one_way = true;
  shop.order.allow_one_way = true;
  const absl::StatusOr<Change> applied = shop.Apply();
  ASSERT_TRUE(applied.ok()) << applied.status();
  shop.host.deaf = {kPfc};
  const absl::StatusOr<Change> change = shop.applier->RollBack(applied->id, "root");
  EXPECT_EQ(change->state, ChangeState::kRolledBack) << change->reason;
  EXPECT_EQ(change->steps[kPfcStep].state, StepState::kNotTakenBack);
  EXPECT_THAT(change->steps[kPfcStep].text, HasSubstr("the firmware keeps it"));
  EXPECT_EQ(shop.host.values, With(before, {{kPfc, "on 3 delay 0"}}));
}

TEST_F(RollbackTest, ADeviceThatIsGoneTookItsSettingsWithItAndGetsTheOldOnesBack) {
  shop.order.proof = false;
  const absl::StatusOr<Change> applied = shop.Apply();
  shop.host.gone = {"dcb0"};
  const absl::StatusOr<Change> change = shop.applier->RollBack(applied->id, "root");
  EXPECT_EQ(change->state, ChangeState::kRolledBack) << change->reason;
  EXPECT_THAT(change->steps[kPfcStep].text, HasSubstr("its device is gone"));
  EXPECT_TRUE(shop.applier->Busy()) << "somebody has to be here when it comes back";
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_TRUE(shop.applier->Busy());

  // It comes back with what its driver begins with, in another order than it was.
  shop.host.gone.clear();
  shop.host.devices["dcb0"] = 2;
  ASSERT_TRUE(shop.applier->Restore(RestoreCause::kDeviceAppeared).ok());
  EXPECT_EQ(shop.host.values, before);
  EXPECT_EQ(shop.host.values.at(kPfc), "off delay 0");
  EXPECT_FALSE(shop.applier->Busy());
  shop.host.values[kPfc] = "on 4 delay 0";  // once is enough
  ASSERT_TRUE(shop.applier->Restore(RestoreCause::kDeviceAppeared).ok());
  EXPECT_EQ(shop.host.values.at(kPfc), "on 4 delay 0");
}

TEST_F(RollbackTest, WhatIsOwedEndsWithTheBoot) {
  shop.order.proof = false;
  const absl::StatusOr<Change> applied = shop.Apply();
  shop.host.gone = {"dcb0"};
  ASSERT_TRUE(shop.applier->RollBack(applied->id, "root").ok());
  shop.boot_id = "boot-2";
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_FALSE(shop.applier->Busy());
}

TEST_F(RollbackTest, ANameThatIsAnotherDevicesNowIsNotWrittenAndSticks) {
  shop.order.proof = false;
  shop.host.identities["dcb0"] = "0000:3b:00.0/0 02:00:00:00:00:01";
  const absl::StatusOr<Change> applied = shop.Apply();
  shop.host.identities["dcb0"] = "0000:5e:00.0/0 02:00:00:00:00:02";
  shop.host.asked.clear();
  const absl::StatusOr<Change> change = shop.applier->RollBack(applied->id, "root");
  EXPECT_EQ(change->state, ChangeState::kRollbackFailed);
  EXPECT_THAT(change->steps[kPfcStep].text, HasSubstr("its name is another device's now (0000:5e:00.0/0 02:"));
  EXPECT_EQ(shop.host.values.at(kPfc), after.at(kPfc));
  for (const std::string& write : shop.host.asked) EXPECT_THAT(write, testing::Not(HasSubstr("dcb0")));

  // Also for a life that read it in the journal; and once the name is its own again, all goes back.
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values.at(kPfc), after.at(kPfc));
  shop.host.identities["dcb0"] = "0000:3b:00.0/0 02:00:00:00:00:01";
  EXPECT_EQ(shop.applier->RollBack(applied->id, "root")->state, ChangeState::kRolledBack);
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(RollbackTest, ANameThatChangesHandsWhileItIsWrittenStopsIt) {
  shop.host.identities["dcb0"] = "0000:3b:00.0/0 02:00:00:00:00:01";
  shop.host.effect = [&](const SettingObject& object) {
    if (object == kEts) shop.host.identities["dcb0"] = "0000:5e:00.0/0 02:00:00:00:00:02";
  };
  const Change change = Applied();
  EXPECT_EQ(change.state, ChangeState::kRollbackFailed);
  EXPECT_THAT(change.reason, HasSubstr("its name is another device's now"));
  EXPECT_EQ(shop.host.values.at(kPfc), before.at(kPfc));
}

TEST_F(RollbackTest, AStepThatCannotBeReadBeforeItsWriteStopsIt) {
  shop.host.effect = [&](const SettingObject& object) {
    if (object == kEts) shop.host.unreadable = {kPfc};
  };
  const Change change = Applied();
  EXPECT_EQ(change.state, ChangeState::kRollbackFailed);  // nobody can say how it is
  EXPECT_THAT(change.reason, HasSubstr("pfc of dcb0: it cannot be read"));
  EXPECT_EQ(change.steps[kPfcStep].state, StepState::kNotBegun);
}

}  // namespace
}  // namespace rdmaready
