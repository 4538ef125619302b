// SPDX-License-Identifier: Apache-2.0
// The timer that takes back what nobody confirms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "agent/apply/dead_man.h"
#include "tests/support/eventually.h"
#include "tests/unit/agent/apply/workshop.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class TimerTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(shop.Start().ok()); }

  // Waits (really) for the timer's thread.
  Change Ended(const std::string& id) {
    EXPECT_TRUE(Eventually([this] { return !shop.applier->Busy(); }));
    const absl::StatusOr<ApplierStatus> status = shop.applier->Status();
    for (const Change& change : status->changes)
      if (change.id == id) return change;
    ADD_FAILURE() << "no such change";
    return {};
  }

  Workshop shop;
  const SimHost::Values before = PlainHost();
  const SimHost::Values after = With(PlainHost(), WantedOfDcb0());
};

TEST_F(TimerTest, WhatNobodyConfirmsGoesBackAtTheDeadlineAndNotBefore) {
  const absl::StatusOr<Change> change = shop.Apply();
  ASSERT_TRUE(shop.applier->Proved(change->id, Passed()).ok());
  shop.clock.Advance(59'999ms);
  std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(shop.applier->Busy());
  EXPECT_EQ(shop.host.values, after);
  EXPECT_EQ(shop.applier->Status()->changes.front().deadline_in_ms, 1U);
  shop.clock.Advance(1ms);
  const Change ended = Ended(change->id);
  EXPECT_EQ(ended.state, ChangeState::kRolledBack);
  EXPECT_THAT(ended.reason, HasSubstr("nobody confirmed it in time"));
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(TimerTest, AChangeThatNobodyProvesGoesBackToo) {
  const absl::StatusOr<Change> change = shop.Apply();
  shop.clock.Advance(61s);
  EXPECT_THAT(Ended(change->id).reason, HasSubstr("before it was proven"));
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(TimerTest, AConfirmationAfterTheDeadlineIsRefused) {
  shop.order.proof = false;
  const absl::StatusOr<Change> change = shop.Apply();
  shop.clock.Advance(60s);
  const absl::Status late = shop.applier->Confirm(change->id, "bob").status();
  EXPECT_TRUE(absl::IsNotFound(late)) << late;
  EXPECT_EQ(Ended(change->id).state, ChangeState::kRolledBack);
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(TimerTest, AJumpOfTheWallClockChangesNoDeadline) {
  shop.order.proof = false;
  const absl::StatusOr<Change> change = shop.Apply();
  for (const std::int64_t jump_ns : {std::int64_t{86'400'000'000'000'000}, std::int64_t{0}}) {
    shop.unix_ns = jump_ns;
    EXPECT_EQ(shop.applier->Status()->changes.front().deadline_in_ms, 60'000U);
  }
  EXPECT_TRUE(shop.applier->Confirm(change->id, "bob").ok());
}

TEST_F(TimerTest, WhoReadsNoProgressDoesNotHoldTheTimer) {
  // An agent that was taken over lets the applier wait in the middle of the writing.
  bool first = true;
  shop.progress = [&](const Change&) {
    if (!std::exchange(first, false)) return;
    shop.clock.Advance(62s);
    EXPECT_TRUE(Eventually([&] {
      return shop.applier->Status()->changes.front().state == ChangeState::kRolledBack;
    })) << "it did not go back";
  };
  const absl::StatusOr<Change> change = shop.Apply();
  EXPECT_EQ(change->state, ChangeState::kRolledBack);
  EXPECT_THAT(change->reason, HasSubstr("its time ran out while it was written"));
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(TimerTest, AReadingForTheProofDoesNotHoldTheTimer) {
  const absl::StatusOr<Change> change = shop.Apply();
  shop.amend = [&](Plan&) {
    shop.clock.Advance(62s);
    Eventually([&] { return !shop.applier->Busy(); });
    EXPECT_FALSE(shop.applier->Busy()) << "it was not taken back while the host was read";
  };
  const absl::Status late = shop.applier->Proved(change->id, Passed()).status();
  EXPECT_TRUE(absl::IsNotFound(late)) << late;
  EXPECT_EQ(Ended(change->id).state, ChangeState::kRolledBack);
  EXPECT_TRUE(shop.host.values == before);
}

TEST_F(TimerTest, AWriteThatTakesTooLongIsTakenBack) {
  shop.host.effect = [&](const SettingObject& object) {
    if (object == On(SettingKind::kEts)) shop.clock.Advance(62s);
  };
  const absl::StatusOr<Change> change = shop.Apply();
  EXPECT_EQ(Ended(change->id).state, ChangeState::kRolledBack);
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(TimerTest, ADeadlineOutsideOfTheLimitsIsRefused) {
  for (const std::uint32_t within_ms : {0U, 1U, 9'999U, 600'001U, UINT32_MAX}) {
    shop.order.confirm_within_ms = within_ms;
    EXPECT_TRUE(absl::IsInvalidArgument(shop.Apply().status())) << within_ms;
  }
  EXPECT_EQ(shop.host.values, before);
}

TEST_F(TimerTest, OneThatIsArmedAnewFiresOnceAtItsLastTime) {
  std::promise<Clock::TimePoint> fired;
  int times = 0;
  apply::DeadMan timer(shop.clock, [&] {
    if (++times == 1) fired.set_value(shop.clock.Now());
  });
  const Clock::TimePoint begin = shop.clock.Now();
  for (int i = 1; i <= 100; ++i) timer.Arm(begin + std::chrono::seconds(i));
  shop.clock.Advance(100s);
  EXPECT_EQ(fired.get_future().get(), begin + 100s);
  timer.Arm(begin + 200s);
  timer.Disarm();
  shop.clock.Advance(1000s);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace rdmaready
