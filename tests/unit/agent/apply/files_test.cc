// SPDX-License-Identifier: Apache-2.0
// Files for the next boot, from the order to forgetting them: what is written when, what is refused, and what
// is left.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/base/plan_digest.h"
#include "api/base/status.h"
#include "tests/unit/agent/apply/files_shop.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
TEST(BootFilesOfAChange, ComeWithItsConfirmationAndGoWithForget) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const Change change = shop.Confirmed();
  EXPECT_TRUE(change.persist);
  EXPECT_EQ(shop.folder.All(), shop.Written());
  for (const char* path : {kDropIn, kUnit, kUnitLink})
    EXPECT_EQ(StateOf(change.files, path), BootFileState::kWritten) << path;
  EXPECT_EQ(shop.applier->Status()->files.size(), 3U);
  // The next life knows them, too.
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.applier->Status()->files.size(), 3U);
  EXPECT_EQ(shop.applier->Status()->changes.front().files, change.files);
  const std::vector<BootFile> forgotten = *shop.applier->ForgetFiles({}, "bob");
  for (const char* path : {kDropIn, kUnit, kUnitLink})
    EXPECT_EQ(StateOf(forgotten, path), BootFileState::kRemoved) << path;
  EXPECT_EQ(shop.folder.All(), shop.empty);
  EXPECT_TRUE(shop.applier->Status()->files.empty());
  EXPECT_TRUE(shop.applier->ForgetFiles({}, "bob")->empty());
}

TEST(BootFilesOfAChange, StayUnwrittenAfterARollback) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kAwaitingConfirm);
  EXPECT_EQ(StateOf(shop.applier->Status()->changes.front().files, kDropIn), BootFileState::kPlanned);
  const absl::StatusOr<Change> back = shop.applier->RollBack(change->id, "bob");
  EXPECT_EQ(StateOf(back->files, kDropIn), BootFileState::kNotWritten);
  EXPECT_EQ(shop.folder.All(), shop.empty);
}

TEST(BootFilesOfAChange, NeedAnOrderWithPersist) {
  FilesShop shop;
  shop.order.persist = false;
  ASSERT_TRUE(shop.Start().ok());
  const Change change = shop.Confirmed();
  EXPECT_TRUE(change.files.empty());
  EXPECT_FALSE(change.persist);
  EXPECT_EQ(shop.folder.All(), shop.empty);
}

TEST(BootFilesOfAChange, NeedRootsLeave) {
  FilesShop shop;
  shop.permission->files = false;
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> refused = shop.Apply();
  EXPECT_TRUE(absl::IsPermissionDenied(refused.status()));
  EXPECT_THAT(Message(refused.status()), HasSubstr("`files: true`"));
  EXPECT_EQ(shop.host.values, PlainHost()) << "nothing is set either";
}

TEST(BootFilesOfAChange, NeedRootsLeaveWhenTheyAreWritten) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kAwaitingConfirm);
  shop.permission->files = false;
  const absl::StatusOr<Change> confirmed = shop.applier->Confirm(change->id, "bob");
  EXPECT_EQ(StateOf(confirmed->files, kDropIn), BootFileState::kNotWritten);
  EXPECT_EQ(shop.folder.All(), shop.empty);
}

TEST(BootFilesOfAChange, NeedLeaveForTheirSettingsWhenTheyAreWritten) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kAwaitingConfirm);
  std::erase(shop.permission->settings, SettingKind::kPfc);
  const absl::StatusOr<Change> confirmed = shop.applier->Confirm(change->id, "bob");
  EXPECT_EQ(StateOf(confirmed->files, kDropIn), BootFileState::kWritten);
  EXPECT_EQ(StateOf(confirmed->files, kUnit), BootFileState::kNotWritten);
  EXPECT_EQ(TextOf(confirmed->files, kUnit), "apply.yaml does not allow to set pfc of dcb0");
  EXPECT_FALSE(fs::exists(shop.folder.At(kUnit)));
  EXPECT_FALSE(fs::exists(shop.folder.At(kUnitLink)));
}

// An agent that shows files of its own may read less than the applier, and show another text.
TEST(BootFilesOfAChange, ChangeNoDigestOfAPlanWithFilesOfTheAgent) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  shop.order.plan_sha256 = *PlanDigest(*shop.MakePlan());
  shop.files[0].content = "# Made by rdmaready.\n[Link]\nMTUBytes=4200\n";
  EXPECT_TRUE(shop.Apply().ok());
}

TEST(BootFilesOfAChange, KeepOnlySettingsThatMayBeSet) {
  FilesShop shop;
  std::erase(shop.permission->settings, SettingKind::kPfc);
  shop.wanted = {{kMtu, "9000"}};
  ASSERT_TRUE(shop.Start().ok());
  const Change change = shop.Confirmed();
  EXPECT_EQ(StateOf(change.files, kDropIn), BootFileState::kWritten);
  EXPECT_EQ(StateOf(change.files, kUnit), BootFileState::kNotWritten);
  EXPECT_THAT(TextOf(change.files, kUnit), HasSubstr("apply.yaml does not allow"));
  EXPECT_FALSE(fs::exists(shop.folder.At(kUnit)));
  EXPECT_FALSE(fs::exists(shop.folder.At(kUnitLink)));
}

TEST(BootFilesOfAChange, NameWhatAPersonHasToDo) {
  FilesShop shop;
  shop.files[0].by_apply = false;
  shop.files[0].note = "change /etc/rc.local";
  shop.amend = [&](Plan& plan) {
    plan.persist = shop.files;
    plan.unkept = {{.subject = "rxe0/1 dcb0", .what = "DSCP 48", .again = "write it again"}};
  };
  ASSERT_TRUE(shop.Start().ok());
  const Change change = shop.Confirmed();
  EXPECT_EQ(TextOf(change.files, kDropIn), "for a person: change /etc/rc.local");
  ASSERT_EQ(change.unkept.size(), 1U);
  EXPECT_EQ(change.unkept.front().what, "DSCP 48");
}

TEST(BootFilesOfAChange, StayUnwrittenIfTheirReaderWouldRefuseThem) {
  FilesShop shop;
  shop.files[0].content = "[Link\nMTUBytes=9000\n";
  ASSERT_TRUE(shop.Start().ok());
  const Change change = shop.Confirmed();
  EXPECT_THAT(TextOf(change.files, kDropIn), HasSubstr("its reader would refuse it: line 1"));
  EXPECT_FALSE(fs::exists(shop.folder.At(kDropIn)));
}

TEST(BootFilesOfAChange, NameTheLimitOfAFileOfNetworkManager) {
  constexpr const char* kConf = "/etc/NetworkManager/conf.d/90-rdmaready-dcb0.conf";
  FilesShop shop;
  fs::create_directories(shop.folder.At("/etc/NetworkManager/conf.d"));
  shop.files_before_confirm = shop.folder.All();
  shop.files = {
      {.path = kConf, .content = "[connection-x]\nethernet.mtu=9000\n", .keeps = {kMtu}, .by_apply = true}};
  ASSERT_TRUE(shop.Start().ok());
  const Change change = shop.Confirmed();
  EXPECT_EQ(StateOf(change.files, kConf), BootFileState::kWritten);
  EXPECT_THAT(TextOf(change.files, kConf), HasSubstr("an MTU of its own goes before it"));
}

TEST(BootFilesOfAChange, LeaveAFileOfTheSiteAsItIs) {
  FilesShop shop;
  shop.folder.Put(kDropIn, "[Link]\nMTUBytes=1500\n");
  shop.files_before_confirm = shop.folder.All();
  ASSERT_TRUE(shop.Start().ok());
  const Change change = shop.Confirmed();
  EXPECT_EQ(StateOf(change.files, kDropIn), BootFileState::kNotWritten);
  EXPECT_EQ(shop.folder.Text(kDropIn), "[Link]\nMTUBytes=1500\n");
  EXPECT_EQ(StateOf(change.files, kUnit), BootFileState::kWritten);
}

TEST(BootFilesOfAChange, RemainIfTheyWereThereBefore) {
  FilesShop shop;
  shop.folder.Put(kDropIn, kMtuText);
  shop.files_before_confirm = shop.folder.All();
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(StateOf(shop.Confirmed().files, kDropIn), BootFileState::kThere);
  ASSERT_TRUE(shop.applier->ForgetFiles({}, "bob").ok());
  EXPECT_EQ(shop.folder.All(), *shop.files_before_confirm);
}

TEST(BootFilesOfAChange, ReplaceAnEarlierFileOfOurs) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  shop.Confirmed();
  shop.files[0].content = "# Made by rdmaready.\n[Link]\nMTUBytes=4200\n";
  shop.files.resize(1);
  shop.wanted = {{kMtu, "4200"}};
  shop.files_before_confirm = shop.Written();
  EXPECT_EQ(StateOf(shop.Confirmed().files, kDropIn), BootFileState::kWritten);
  EXPECT_EQ(shop.folder.Text(kDropIn), shop.files[0].content);
  ASSERT_TRUE(shop.applier->ForgetFiles({}, "bob").ok());
  EXPECT_EQ(shop.folder.All(), shop.empty) << "the folder that the first one made is gone, too";
}

TEST(BootFilesOfAChange, RemainAfterAnEditAndAreForgotten) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  shop.Confirmed();
  shop.folder.Put(kDropIn, "[Link]\nMTUBytes=4200\n");
  const std::vector<BootFile> forgotten = *shop.applier->ForgetFiles({}, "bob");
  EXPECT_EQ(StateOf(forgotten, kDropIn), BootFileState::kLeft);
  EXPECT_THAT(TextOf(forgotten, kDropIn), HasSubstr("edited"));
  EXPECT_EQ(StateOf(forgotten, kUnit), BootFileState::kRemoved);
  EXPECT_EQ(shop.folder.Text(kDropIn), "[Link]\nMTUBytes=4200\n");
  EXPECT_TRUE(shop.applier->Status()->files.empty());
}

TEST(BootFilesOfAChange, ShowAnEditAndARemoval) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  shop.Confirmed();
  shop.folder.Put(kDropIn, "[Link]\nMTUBytes=4200\n");
  fs::remove(shop.folder.At(kUnitLink));
  const std::vector<BootFile> files = shop.applier->Status()->files;
  EXPECT_EQ(StateOf(files, kDropIn), BootFileState::kLeft);
  EXPECT_EQ(TextOf(files, kDropIn), "it was edited since it was written: it stays when it is forgotten");
  EXPECT_EQ(StateOf(files, kUnitLink), BootFileState::kRemoved);
  EXPECT_EQ(TextOf(files, kUnitLink), "it is not there any more");
  EXPECT_EQ(StateOf(files, kUnit), BootFileState::kWritten);
  // Another user's folder cannot be looked into.
  fs::permissions(shop.folder.At("/etc/systemd/system"), fs::perms(0777));
  EXPECT_EQ(StateOf(shop.applier->Status()->files, kUnit), BootFileState::kLeft);
}

TEST(BootFilesOfAChange, RemainAfterAnEditBeforeTheConfirmation) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kAwaitingConfirm);
  shop.folder.Put(kDropIn, "of the site\n");
  const absl::StatusOr<Change> confirmed = shop.applier->Confirm(change->id, "bob");
  ASSERT_TRUE(confirmed.ok()) << "the settings hold all the same";
  EXPECT_EQ(StateOf(confirmed->files, kDropIn), BootFileState::kNotWritten);
  EXPECT_EQ(shop.folder.Text(kDropIn), "of the site\n");
}

TEST(BootFilesOfAChange, GoByTheSettingsThatTheyKeep) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  shop.Confirmed();
  const std::vector<BootFile> forgotten = *shop.applier->ForgetFiles({kMtu}, "bob");
  ASSERT_EQ(forgotten.size(), 1U);
  EXPECT_EQ(forgotten.front().path, kDropIn);
  EXPECT_TRUE(fs::exists(shop.folder.At(kUnit)));
}

TEST(BootFilesOfAChange, RemainIfTheyKeepMoreThanIsForgotten) {
  FilesShop shop;
  shop.files[1].keeps = {kPfc, kMtu};
  ASSERT_TRUE(shop.Start().ok());
  shop.Confirmed();
  const std::vector<BootFile> forgotten = *shop.applier->ForgetFiles({kPfc}, "bob");
  EXPECT_EQ(StateOf(forgotten, kUnit), BootFileState::kLeft);
  EXPECT_THAT(TextOf(forgotten, kUnit), HasSubstr("it also keeps mtu of dcb0"));
  EXPECT_EQ(shop.folder.All(), shop.Written());
  EXPECT_EQ(shop.applier->Status()->files.size(), 3U) << "it is not forgotten";
  EXPECT_EQ(shop.applier->ForgetFiles({kPfc, kMtu}, "bob")->size(), 3U);
  EXPECT_EQ(shop.folder.All(), shop.empty);
}

// /var was full when it was confirmed, and has room again.
TEST(BootFilesOfAChange, StayForgottenAfterAFullDisk) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kAwaitingConfirm);
  // From the file of what is kept on: the files for the next boot are written.
  shop.disk.refuses_replace = true;
  ASSERT_TRUE(shop.applier->Confirm(change->id, "bob").ok());
  EXPECT_EQ(shop.folder.All(), shop.Written());
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.Apply().status())) << "nothing new before that is saved";
  shop.disk.refuses_replace = false;
  ASSERT_TRUE(shop.applier->ForgetFiles({}, "bob").ok());
  ASSERT_TRUE(shop.applier->Forget({}, "bob").ok());
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.folder.All(), shop.empty) << "the journal does not write them again";
  EXPECT_TRUE(shop.applier->Status()->kept.empty());
}

TEST(BootFilesOfAChange, RemainKnownIfTheLeaveIsTakenAfterTheWrite) {
  int remembered = 0;
  for (int at = 0;; ++at) {
    FilesShop shop;
    shop.wanted = {{kMtu, "9000"}};
    ASSERT_TRUE(shop.Start().ok());
    const absl::StatusOr<Change> change = shop.Apply();
    ASSERT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kAwaitingConfirm);
    int count = 0;
    shop.disk.point = [&] {
      if (count++ == at) throw Killed{};
    };
    bool killed = false;
    try {
      ASSERT_TRUE(shop.applier->Confirm(change->id, "bob").ok());
    } catch (const Killed&) {
      killed = true;
    }
    shop.disk.point = nullptr;
    if (!killed) break;
    shop.permission->files = false;
    ASSERT_TRUE(shop.Start().ok());
    remembered += shop.applier->Status()->files.empty() ? 0 : 1;
    ASSERT_TRUE(shop.applier->ForgetFiles({}, "bob").ok());
    ASSERT_EQ(shop.folder.All(), shop.empty) << at;
  }
  EXPECT_GT(remembered, 0);
}

TEST(BootFilesOfAChange, NeedAFolderThatIsThere) {
  FilesShop shop;
  constexpr const char* kNetplan = "/etc/netplan/90-rdmaready-dcb0.yaml";
  fs::remove_all(shop.folder.At("/etc/netplan"));
  shop.files_before_confirm = shop.folder.All();
  shop.files = {{.path = kNetplan,
                 .content = "network:\n  version: 2\n  ethernets:\n    \"a\":\n      mtu: 9000\n",
                 .keeps = {kMtu},
                 .by_apply = true}};
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> change = shop.Apply();
  EXPECT_EQ(TextOf(change->files, kNetplan), "its folder is not there") << "before anything is confirmed";
}

TEST(BootFilesOfAChange, StayWhenItsSettingsAreForgottenAlone) {
  FilesShop shop;
  ASSERT_TRUE(shop.Start().ok());
  shop.Confirmed();
  ASSERT_TRUE(shop.applier->Forget({}, "bob").ok());
  EXPECT_EQ(shop.folder.All(), shop.Written());
  EXPECT_EQ(shop.applier->Status()->files.size(), 3U);
}

// ---- without anything to set ----

TEST(BootFilesAlone, ComeAtOnceIfAllIsSetAlready) {
  FilesShop shop;
  shop.wanted.clear();
  ASSERT_TRUE(shop.Start().ok());
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->state, ChangeState::kNothingToDo);
  EXPECT_EQ(shop.folder.All(), shop.Written());
  const std::string journal = shop.FileText("journal");
  // The same order again finds them there, and begins nothing.
  const absl::StatusOr<Change> again = shop.Apply();
  EXPECT_EQ(StateOf(again->files, kDropIn), BootFileState::kThere);
  EXPECT_EQ(shop.FileText("journal"), journal);
  ASSERT_TRUE(shop.Start().ok());
  EXPECT_EQ(shop.Notices(), "");
  ASSERT_TRUE(shop.applier->ForgetFiles({}, "bob").ok());
  EXPECT_EQ(shop.folder.All(), shop.empty);
}

TEST(BootFilesAlone, CountAsAChangeOfTheHour) {
  FilesShop shop;
  shop.wanted.clear();
  shop.permission->changes_most_per_hour = 1;
  ASSERT_TRUE(shop.Start().ok());
  ASSERT_TRUE(shop.Apply().ok());
  ASSERT_TRUE(shop.applier->ForgetFiles({}, "bob").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(shop.Apply().status()));
  EXPECT_EQ(shop.folder.All(), shop.empty);
}

}  // namespace
}  // namespace rdmaready
