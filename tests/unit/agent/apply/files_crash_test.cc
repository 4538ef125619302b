// SPDX-License-Identifier: Apache-2.0
// The crash matrix of files for the next boot.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/apply/files_shop.h"

namespace rdmaready {
namespace {

TEST(BootFilesCrash, KilledAtAnyPointThereAreAllFilesOrNone) {
  int all = 0;
  int with_files = 0;
  for (int at = 0;; ++at) {
    FilesShop shop;
    shop.wanted = {{kMtu, "9000"}};
    shop.disk.tear = true;
    ASSERT_TRUE(shop.Start().ok());
    bool is_confirmed = false;
    const auto apply_and_confirm = [&] {
      const absl::StatusOr<Change> change = shop.Apply();
      ASSERT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kAwaitingConfirm);
      ASSERT_TRUE(shop.applier->Confirm(change->id, "bob").ok());
      is_confirmed = true;
    };
    if (!KilledAt(shop, at, apply_and_confirm)) break;
    ASSERT_TRUE(shop.Start().ok());
    ASSERT_EQ(shop.Notices(), "") << at;
    const bool kept = !shop.applier->Status()->kept.empty();
    ASSERT_TRUE(kept || !is_confirmed) << at;
    ASSERT_EQ(shop.folder.All(), kept ? shop.Written() : shop.empty) << "killed at point " << at;
    ASSERT_EQ(shop.applier->Status()->files.size(), kept ? 3U : 0U) << at;
    ASSERT_TRUE(shop.applier->ForgetFiles({}, "bob").ok());
    ASSERT_EQ(shop.folder.All(), shop.empty) << at;
    with_files += kept ? 1 : 0;
    ++all;
  }
  EXPECT_GT(all, 40);
  EXPECT_GT(with_files, 10);
  fmt::print("crash matrix of files: {} points, all held; {} of them after the confirmation counted\n", all,
             with_files);
}

TEST(BootFilesCrash, KilledAtAnyPointOfForgettingTheNextTryRemovesTheRest) {
  int all = 0;
  for (int at = 0;; ++at) {
    FilesShop shop;
    shop.disk.tear = true;
    ASSERT_TRUE(shop.Start().ok());
    shop.Confirmed();
    if (!KilledAt(shop, at, [&] { ASSERT_TRUE(shop.applier->ForgetFiles({}, "bob").ok()); })) break;
    ASSERT_TRUE(shop.Start().ok());
    ASSERT_TRUE(shop.applier->ForgetFiles({}, "bob").ok());
    ASSERT_EQ(shop.folder.All(), shop.empty) << at;
    ++all;
  }
  EXPECT_GT(all, 5);
}

// The cut comes while the new file has the name and the earlier one is beside it. Here that one was edited.
TEST(BootFilesCrash, AnEditedFileGetsItsNameBackAfterACutWrite) {
  const char* const beside = "/etc/systemd/network/50-a.link.d/.rdma.conf.new";
  int all = 0;
  for (int at = 0;; ++at) {
    FilesShop shop;
    ASSERT_TRUE(shop.Start().ok());
    shop.Confirmed();
    shop.files[0].content = "# Made by rdmaready.\n[Link]\nMTUBytes=4200\n";
    if (!KilledAt(shop, at, [&] { static_cast<void>(shop.Apply()); })) break;
    const bool is_cut_there =
        shop.folder.Text(kDropIn) == shop.files[0].content && fs::exists(shop.folder.At(beside));
    if (!is_cut_there) continue;
    shop.folder.Put(beside, "# of the site\n");
    ASSERT_TRUE(shop.Start().ok());
    EXPECT_EQ(shop.folder.Text(kDropIn), "# of the site\n") << at;
    EXPECT_FALSE(fs::exists(shop.folder.At(beside))) << at;
    ++all;
  }
  EXPECT_GT(all, 0);
}

TEST(BootFilesCrash, AFullDiskLeavesWholeFilesOrNone) {
  for (int at = 0; at < 200; ++at) {
    FilesShop shop;
    shop.wanted = {{kMtu, "9000"}};
    ASSERT_TRUE(shop.Start().ok());
    int count = 0;
    shop.disk.point = [&] { shop.disk.full = shop.disk.full || count++ >= at; };
    const absl::StatusOr<Change> change = shop.Apply();
    const bool proving = change.ok() && change->state == ChangeState::kProving;
    if (!proving) continue;
    const absl::StatusOr<Change> proved = shop.applier->Proved(change->id, Passed());
    if (proved->state != ChangeState::kAwaitingConfirm) continue;
    const absl::StatusOr<Change> confirmed = shop.applier->Confirm(change->id, "bob");
    if (!confirmed.ok()) continue;
    for (const BootFile& file : confirmed->files) {
      const bool is_there = fs::exists(fs::symlink_status(shop.folder.At(file.path)));
      ASSERT_EQ(is_there, file.state == BootFileState::kWritten) << file.path << " at " << at;
    }
    // With room again the next life makes up for what is not in its files yet.
    shop.disk.full = false;
    shop.disk.point = nullptr;
    ASSERT_TRUE(shop.Start().ok()) << at;
    ASSERT_TRUE(shop.applier->ForgetFiles({}, "bob").ok());
    ASSERT_EQ(shop.folder.All(), shop.empty) << at;
    if (count < at) break;
  }
}

}  // namespace
}  // namespace rdmaready
