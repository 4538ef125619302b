// SPDX-License-Identifier: Apache-2.0
// The crash matrix in memory: the applier is killed at each point at which anything of it can be seen (each
// read and write of the host, each append, half of it, and fsync of its files), and begun anew on what is left.
// Then the host is as before, or as it was confirmed, and never in between.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready {
namespace {

class CrashTest : public ::testing::Test {
 protected:
  // What somebody does with an applier, and how far he got.
  enum class Reached { kStarted, kApplied, kConfirming, kConfirmed };

  static constexpr int kNever = -1;

  void ApplyProveConfirm(Workshop& shop) {
    const absl::StatusOr<Change> change = shop.Apply();
    ASSERT_TRUE(change.ok()) << change.status();
    reached_ = Reached::kApplied;
    ASSERT_EQ(shop.applier->Proved(change->id, Passed())->state, ChangeState::kAwaitingConfirm);
    reached_ = Reached::kConfirming;
    ASSERT_TRUE(shop.applier->Confirm(change->id, "bob").ok());
    reached_ = Reached::kConfirmed;
  }

  // The state of the host after a new life on it, and whether what is kept says the same.
  void ExpectOldOrNew(Workshop& shop, const std::string& where) {
    ASSERT_EQ(shop.Notices(), "") << where;
    const std::size_t kept = shop.applier->Status()->kept.size();
    const bool is_new = shop.host.values == after;
    ASSERT_TRUE(is_new || shop.host.values == before) << where;
    ASSERT_EQ(kept, is_new ? shop.wanted.size() : 0U) << where;
    if (reached_ != Reached::kConfirming) {
      ASSERT_EQ(is_new, reached_ == Reached::kConfirmed) << where;
    }
    ASSERT_FALSE(shop.applier->Busy()) << where;
  }

  Reached reached_ = Reached::kStarted;
  const SimHost::Values before = PlainHost();
  const SimHost::Values after = With(PlainHost(), WantedOfDcb0());
};

TEST_F(CrashTest, KilledAtAnyPointTheHostIsAsBeforeOrAsConfirmed) {
  int all = 0;
  int confirmed = 0;
  for (int at = 0;; ++at) {
    Workshop shop;
    shop.disk.tear = true;
    ASSERT_TRUE(shop.Start().ok());
    reached_ = Reached::kStarted;
    if (!KilledAt(shop, at, [&] { ApplyProveConfirm(shop); })) break;
    ASSERT_TRUE(shop.Start().ok());
    ASSERT_NO_FATAL_FAILURE(ExpectOldOrNew(shop, fmt::format("killed at point {}", at)));
    confirmed += shop.host.values == after ? 1 : 0;
    ++all;
  }
  EXPECT_GT(all, 200);
  EXPECT_GT(confirmed, 0);
  fmt::print(
      "crash matrix: {} points of a plan of {} steps, all held; {} of them after the confirmation counted\n",
      all, WantedOfDcb0().size(), confirmed);
}

TEST_F(CrashTest, KilledAtAnyPointOfTakingBackTheHostIsAsBefore) {
  int all = 0;
  for (int at = 0;; ++at) {
    Workshop shop;
    shop.disk.tear = true;
    ASSERT_TRUE(shop.Start().ok());
    const absl::StatusOr<Change> change = shop.Apply();
    if (!KilledAt(shop, at, [&] { ASSERT_TRUE(shop.applier->RollBack(change->id, "bob").ok()); })) break;
    ASSERT_TRUE(shop.Start().ok());
    reached_ = Reached::kApplied;
    ASSERT_NO_FATAL_FAILURE(ExpectOldOrNew(shop, fmt::format("killed at point {} of taking back", at)));
    ++all;
  }
  EXPECT_GT(all, 100);
  fmt::print("crash matrix of taking back: {} points, all held\n", all);
}

TEST_F(CrashTest, KilledWhileItRecoversFromBeingKilledItStillComesTrue) {
  int all = 0;
  for (int at = 0;; at += 17) {
    bool first_died = true;
    for (int again = 0;; again += 5) {
      Workshop shop;
      shop.disk.tear = true;
      ASSERT_TRUE(shop.Start().ok());
      reached_ = Reached::kStarted;
      first_died = KilledAt(shop, at, [&] { ApplyProveConfirm(shop); });
      if (!first_died || !KilledAt(shop, again, [&] { ASSERT_TRUE(shop.Start().ok()); })) break;
      ASSERT_TRUE(shop.Start().ok());
      ASSERT_NO_FATAL_FAILURE(ExpectOldOrNew(shop, fmt::format("killed at {} and then at {}", at, again)));
      ++all;
    }
    if (!first_died) break;
  }
  EXPECT_GT(all, 150);
  fmt::print("crash matrix, killed twice: {} pairs, all held\n", all);
}

TEST_F(CrashTest, AfterAPowerLossAtAnyPointTheLastConfirmedSettingsHold) {
  // MTU and PFC were confirmed earlier; now the whole plan is under way.
  const std::vector<Setting> earlier{{On(SettingKind::kMtu), "4200"}, {On(SettingKind::kPfc), "on 4 delay 0"}};
  int all = 0;
  for (int at = 0;; at += 3) {
    Workshop shop;
    shop.disk.tear = true;
    ASSERT_TRUE(shop.Start().ok());
    shop.wanted = earlier;
    ApplyProveConfirm(shop);
    shop.wanted = WantedOfDcb0();
    reached_ = Reached::kStarted;
    if (!KilledAt(shop, at, [&] { ApplyProveConfirm(shop); })) break;
    shop.boot_id = "boot-2";
    shop.host.values = PlainHost();  // the kernel's defaults
    ASSERT_TRUE(shop.Start().ok());
    const bool is_new = shop.applier->Status()->kept.size() == shop.wanted.size();
    ASSERT_EQ(shop.host.values, is_new ? after : With(before, earlier)) << "power lost at point " << at;
    if (reached_ != Reached::kConfirming) {
      ASSERT_EQ(is_new, reached_ == Reached::kConfirmed) << at;
    }
    ++all;
  }
  EXPECT_GT(all, 60);
  fmt::print("power lost at {} points, all held\n", all);
}

TEST_F(CrashTest, KilledAtAnyPointOfRestoringItIsRestoredByTheNextLife) {
  int all = 0;
  for (int at = 0;; ++at) {
    Workshop shop;
    ASSERT_TRUE(shop.Start().ok());
    ApplyProveConfirm(shop);
    shop.boot_id = "boot-2";
    shop.host.values = PlainHost();
    if (!KilledAt(shop, at, [&] { ASSERT_TRUE(shop.Start().ok()); })) break;
    ASSERT_TRUE(shop.Start().ok());
    ASSERT_EQ(shop.host.values, after) << at;
    ++all;
  }
  EXPECT_GT(all, 50);
  fmt::print("killed while it restored at {} points, all held\n", all);
}

TEST_F(CrashTest, AfterADiskThatIsFullFromAnyAppendOnTheHostIsAsBeforeOrAsConfirmed) {
  int all = 0;
  for (int at = 0;; ++at) {
    Workshop shop;
    ASSERT_TRUE(shop.Start().ok());
    int count = 0;
    shop.disk.point = [&] { shop.disk.full = shop.disk.full || count++ >= at; };
    const absl::StatusOr<Change> change = shop.Apply();
    const bool armed = change.ok() && change->state == ChangeState::kProving;
    if (armed) {
      const absl::StatusOr<Change> proved = shop.applier->Proved(change->id, Passed());
      if (proved->state == ChangeState::kAwaitingConfirm && shop.applier->Confirm(change->id, "bob").ok()) {
        ASSERT_EQ(shop.host.values, after) << at;
        if (!shop.disk.full) break;
      } else if (proved->state == ChangeState::kAwaitingConfirm) {
        ASSERT_EQ(shop.applier->RollBack(change->id, "bob")->state, ChangeState::kRolledBack);
        ASSERT_EQ(shop.host.values, before) << at;
      } else {
        ASSERT_EQ(shop.host.values, before) << at;
      }
    } else {
      ASSERT_EQ(shop.host.values, before) << at;
    }
    // With room again, the next life and the next change go on.
    shop.disk.full = false;
    shop.disk.point = nullptr;
    const SimHost::Values left = shop.host.values;
    ASSERT_TRUE(shop.Start().ok());
    ASSERT_EQ(shop.host.values, left) << at;
    ASSERT_TRUE(shop.Apply().ok()) << at;
    ++all;
  }
  EXPECT_GT(all, 50);
  fmt::print("disk full from {} points on, all held\n", all);
}

}  // namespace
}  // namespace rdmaready
