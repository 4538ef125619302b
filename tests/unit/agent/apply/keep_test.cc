// SPDX-License-Identifier: Apache-2.0
// Settings that are kept: set again when the kernel forgot them, and only then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/apply/kept.h"
#include "tests/support/eventually.h"
#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

const SettingObject kPfcObject = On(SettingKind::kPfc);
const std::string kPfcValue = "on 3 delay 0";

class KeepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(shop.Start().ok());
    shop.order.proof = false;
    ASSERT_TRUE(shop.applier->Confirm(shop.Apply()->id, "bob").ok());
    after = shop.host.values;
    shop.host.asked.clear();
  }

  Workshop shop;
  SimHost::Values after;
};

TEST_F(KeepTest, WhatTheKernelForgotAtBootIsSetAgainAtStart) {
  shop.boot_id = "boot-2";
  shop.host.values = PlainHost();
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values, after);
  EXPECT_THAT(shop.FileText("audit"), HasSubstr("restore at start"));
}

TEST_F(KeepTest, OverrulesAFileOfTheBootOncePerBoot) {
  shop.boot_id = "boot-2";
  shop.host.values = With(after, {{kPfcObject, "on 5 delay 0"}});
  shop.facts.boot_writes =
      std::vector<BootWrite>{{.file = "/etc/rc.local", .setting = "pfc", .object = "dcb0", .value = "5"}};
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values, after);
  shop.host.values[kPfcObject] = "on 5 delay 0";
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values.at(kPfcObject), "on 5 delay 0");
}

TEST_F(KeepTest, WhatSomebodyChangedByHandIsNotOverruledByAStart) {
  shop.host.values[kPfcObject] = "on 4 delay 0";
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values.at(kPfcObject), "on 4 delay 0");
  EXPECT_THAT(*shop.applier->Restore(RestoreCause::kDeviceAppeared), IsEmpty());
  EXPECT_THAT(shop.host.asked, IsEmpty());
}

TEST_F(KeepTest, ADeviceThatWasMadeAnewGetsItsSettingsAndNoOther) {
  shop.host.devices["dcb0"] = 9;
  shop.host.values[kPfcObject] = "off delay 0";
  shop.host.values[On(SettingKind::kCmTos, "rxe0/1")] = "0";  // by hand
  EXPECT_THAT(*shop.applier->Restore(RestoreCause::kDeviceAppeared),
              ElementsAre(Setting{kPfcObject, kPfcValue}));
  EXPECT_EQ(shop.host.values.at(On(SettingKind::kCmTos, "rxe0/1")), "0");
  shop.host.values[kPfcObject] = "off delay 0";
  EXPECT_THAT(*shop.applier->Restore(RestoreCause::kDeviceAppeared), IsEmpty());  // the same life: by hand
}

TEST_F(KeepTest, ADeviceThatIsNotThereYetIsServedWhenItComes) {
  shop.boot_id = "boot-2";
  shop.host.values = PlainHost();
  shop.host.gone = {"dcb0"};
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values.at(On(SettingKind::kCmTos, "rxe0/1")), "106");
  shop.host.gone.clear();
  ASSERT_TRUE(shop.applier->Restore(RestoreCause::kDeviceAppeared).ok());
  EXPECT_EQ(shop.host.values, after);
}

TEST_F(KeepTest, AnotherDeviceOfTheSameNameIsLeftAlone) {
  shop.host.identities["dcb0"] = "0000:3b:00.0/0 02:00:00:00:00:01";
  ASSERT_TRUE(shop.applier->Forget({}, "bob").ok());
  shop.host.values = PlainHost();
  ASSERT_TRUE(shop.applier->Confirm(shop.Apply()->id, "bob").ok());
  shop.boot_id = "boot-2";
  shop.host.values = PlainHost();
  shop.host.identities["dcb0"] = "0000:5e:00.0/0 02:00:00:00:00:02";
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values.at(kPfcObject), PlainHost().at(kPfcObject));
  EXPECT_EQ(shop.host.values.at(On(SettingKind::kCmTos, "rxe0/1")), "106")
      << "of another device, which is the same";
  ASSERT_THAT(shop.applier->Status()->notices, SizeIs(1));
  EXPECT_THAT(shop.applier->Status()->notices.front(),
              HasSubstr("pfc of dcb0: its name is another device's now"));
  // In another slot it is the same one.
  shop.host.identities["dcb0"] = "0000:af:00.0/0 02:00:00:00:00:01";
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values.at(kPfcObject), kPfcValue);
  EXPECT_THAT(shop.applier->Status()->notices, IsEmpty());
}

TEST_F(KeepTest, WhatIsForgottenIsNotSetAgain) {
  EXPECT_THAT(*shop.applier->Forget({kPfcObject}, "bob"), ElementsAre(Setting{kPfcObject, kPfcValue}));
  EXPECT_THAT(shop.applier->Status()->kept, SizeIs(9));
  EXPECT_EQ(shop.host.values, after);
  shop.boot_id = "boot-2";
  shop.host.values = PlainHost();
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values.at(kPfcObject), "off delay 0");
  EXPECT_THAT(*shop.applier->Forget({}, "bob"), SizeIs(9));
  EXPECT_THAT(*shop.applier->Forget({}, "bob"), IsEmpty());
}

TEST_F(KeepTest, WhatCouldNotBeForgottenIsStillTold) {
  shop.disk.full = true;
  EXPECT_FALSE(shop.applier->Forget({}, "bob").ok());
  EXPECT_THAT(shop.applier->Status()->kept, SizeIs(10));
  shop.disk.full = false;
  EXPECT_THAT(*shop.applier->Forget({}, "bob"), SizeIs(10));
  EXPECT_THAT(shop.applier->Status()->kept, IsEmpty());
}

TEST_F(KeepTest, WhatCameWhileAChangeWasOpenIsMadeUpForHoweverThatEnds) {
  // Nobody confirms in time, and the confirmation is what finds it.
  shop.wanted = {{On(SettingKind::kMtu), "4200"}};
  const absl::StatusOr<Change> change = shop.Apply();
  shop.host.devices["rxe0/1"] = 5;
  shop.host.values[On(SettingKind::kCmMode, "rxe0/1")] = "IB/RoCE v1";
  EXPECT_FALSE(shop.applier->Restore(RestoreCause::kDeviceAppeared).ok());
  shop.clock.Advance(61s);
  EXPECT_TRUE(absl::IsNotFound(shop.applier->Confirm(change->id, "bob").status()));
  Eventually([&] { return !shop.applier->Busy(); });
  EXPECT_EQ(shop.host.values.at(On(SettingKind::kCmMode, "rxe0/1")), "RoCE v2");
}

TEST_F(KeepTest, WhatCameWhileAChangeWasPlannedIsMadeUpForAlsoWhereItIsNone) {
  for (const bool refused : {true, false}) {
    shop.order.allow_one_way = false;
    shop.amend = [&](Plan& plan) {
      shop.host.devices["rxe0/1"] = refused ? 5 : 6;
      shop.host.values[On(SettingKind::kCmMode, "rxe0/1")] = "IB/RoCE v1";
      EXPECT_FALSE(shop.applier->Restore(RestoreCause::kDeviceAppeared).ok());
      if (refused) plan.profiles.front().digest = std::string(64, 'b');
    };
    shop.wanted = {};
    EXPECT_EQ(shop.Apply().ok(), !refused);
    EXPECT_EQ(shop.host.values.at(On(SettingKind::kCmMode, "rxe0/1")), "RoCE v2") << refused;
  }
}

TEST_F(KeepTest, ALaterConfirmationReplacesAndARollbackDoesNot) {
  shop.wanted = {{kPfcObject, "on 4 delay 0"}};
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_TRUE(shop.applier->RollBack(change->id, "bob").ok());
  EXPECT_EQ(apply::Find(apply::LoadKept(shop.dir + "/kept")->kept, kPfcObject)->setting.value, kPfcValue);
  ASSERT_TRUE(shop.applier->Confirm(shop.Apply()->id, "bob").ok());
  EXPECT_EQ(apply::Find(apply::LoadKept(shop.dir + "/kept")->kept, kPfcObject)->setting.value, "on 4 delay 0");
  EXPECT_THAT(shop.applier->Status()->kept, SizeIs(10));
}

TEST_F(KeepTest, WhatIsNotAllowedAnyMoreIsNotRestoredAndThatIsSaid) {
  std::erase(shop.permission->settings, SettingKind::kPfc);
  shop.boot_id = "boot-2";
  shop.host.values = PlainHost();
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values.at(kPfcObject), "off delay 0");
  EXPECT_EQ(shop.host.values.at(On(SettingKind::kCmTos, "rxe0/1")), "106");
  EXPECT_THAT(shop.Notices(), HasSubstr("apply.yaml does not allow it: pfc of dcb0"));
  shop.permission = absl::NotFoundError("no /etc/rdmaready/apply.yaml");
  shop.boot_id = "boot-3";
  shop.host.values = PlainHost();
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values, PlainHost());
}

TEST_F(KeepTest, WhatADriverRefusesToRestoreIsSaidAndTriedAgain) {
  shop.boot_id = "boot-2";
  shop.host.values = PlainHost();
  shop.host.refuses = {kPfcObject};
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_THAT(shop.Notices(), HasSubstr("could not be restored: pfc of dcb0: set it: Operation not supported"));
  shop.host.refuses.clear();
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.host.values, after);
  EXPECT_EQ(shop.Notices(), "");
}

TEST_F(KeepTest, PuttingBackIsOffUnlessAllowed) {
  shop.host.values[kPfcObject] = "off delay 0";
  EXPECT_TRUE(absl::IsPermissionDenied(shop.applier->Restore(RestoreCause::kPutBack).status()));
  EXPECT_EQ(shop.host.values.at(kPfcObject), "off delay 0");
}

TEST_F(KeepTest, PuttingBackDoesNotFightAnotherWriterForEver) {
  shop.permission->put_back_most_per_hour = 3;
  for (int i = 0; i < 3; ++i) {
    shop.host.values[kPfcObject] = "off delay 0";
    EXPECT_THAT(*shop.applier->Restore(RestoreCause::kPutBack), ElementsAre(Setting{kPfcObject, kPfcValue}));
  }
  shop.host.values[kPfcObject] = "off delay 0";
  EXPECT_TRUE(absl::IsResourceExhausted(shop.applier->Restore(RestoreCause::kPutBack).status()));
  EXPECT_THAT(shop.Notices(), HasSubstr("somebody else goes on setting: pfc of dcb0"));
  EXPECT_EQ(shop.host.values.at(kPfcObject), "off delay 0");
  shop.host.values[On(SettingKind::kMtu)] = "1500";  // another one has its own three
  EXPECT_THAT(*shop.applier->Restore(RestoreCause::kPutBack), SizeIs(1));
  shop.clock.Advance(61min);
  EXPECT_THAT(*shop.applier->Restore(RestoreCause::kPutBack), SizeIs(1));
  EXPECT_EQ(shop.host.values, after);
  EXPECT_THAT(*shop.applier->Restore(RestoreCause::kPutBack), IsEmpty());
}

TEST_F(KeepTest, NothingIsRestoredWhileAChangeIsOpenAndItIsMadeUpFor) {
  shop.wanted = {{On(SettingKind::kMtu), "4200"}};
  const absl::StatusOr<Change> change = shop.Apply();
  shop.host.devices["rxe0/1"] = 5;
  shop.host.values[On(SettingKind::kCmMode, "rxe0/1")] = "IB/RoCE v1";
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.applier->Restore(RestoreCause::kDeviceAppeared).status()));
  EXPECT_EQ(shop.host.values.at(On(SettingKind::kCmMode, "rxe0/1")), "IB/RoCE v1");
  ASSERT_TRUE(shop.applier->Confirm(change->id, "bob").ok());
  EXPECT_EQ(shop.host.values.at(On(SettingKind::kCmMode, "rxe0/1")), "RoCE v2");
}

TEST_F(KeepTest, AFullDiskAtTheConfirmationIsMadeUpForByTheNextLife) {
  shop.wanted = {{kPfcObject, "on 4 delay 0"}};
  const absl::StatusOr<Change> change = shop.Apply();
  int appends = 0;
  shop.disk.point = [&] { shop.disk.full = ++appends > 2; };  // the confirmation itself is written
  ASSERT_TRUE(shop.applier->Confirm(change->id, "bob").ok());
  EXPECT_THAT(shop.Notices(), HasSubstr("the kept settings could not be written"));
  shop.disk.point = nullptr;
  shop.disk.full = false;
  EXPECT_EQ(apply::Find(apply::LoadKept(shop.dir + "/kept")->kept, kPfcObject)->setting.value, kPfcValue);
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(apply::Find(apply::LoadKept(shop.dir + "/kept")->kept, kPfcObject)->setting.value, "on 4 delay 0");
  EXPECT_EQ(shop.host.values.at(kPfcObject), "on 4 delay 0");
}

TEST(KeptSettingsTest, TheirTextIsReadBack) {
  apply::KeptSettings settings;
  Put(settings.kept,
      {.setting = {kPfcObject, kPfcValue}, .subject = "rxe0/1 dcb0", .boot_id = "b", .device = 4});
  Put(settings.kept, {.setting = {On(SettingKind::kMtu), "9000"}});
  Put(settings.owed, {.setting = {On(SettingKind::kCmTos, "rxe0/1"), "106"}, .change = "00ff"});
  EXPECT_EQ(*apply::KeptSettingsOf(apply::TextOf(settings)), settings);
  for (const char* text :
       {"", "{}", "[]", R"({"version":2,"kept":[],"owed":[]})", R"({"version":1,"kept":{},"owed":[]})"})
    EXPECT_TRUE(absl::IsDataLoss(apply::KeptSettingsOf(text).status())) << text;
}

}  // namespace
}  // namespace rdmaready
