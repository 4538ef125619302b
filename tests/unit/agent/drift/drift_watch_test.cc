// SPDX-License-Identifier: Apache-2.0
#include "agent/drift/drift_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <string>
#include <utility>

#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/agent/drift/made_configurer.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready::drift {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

Facts WithPfc(unsigned enabled, std::uint32_t ifindex = 0) {
  return WithPort([&](Port& port) {
    Netdev netdev = *port.netdev;
    Pfc pfc = *netdev.dcb.pfc;
    pfc.enabled = static_cast<std::uint8_t>(enabled);
    netdev.dcb.pfc = pfc;
    if (ifindex != 0) netdev.ifindex = ifindex;
    port.netdev = netdev;
  });
}

std::uint32_t GoodIfindex() { return GoodHost().ports->front().netdev->ifindex; }

HostNotice Written(std::uint32_t sequence) {
  return {.kind = NoticeKind::kDcb, .name = "dcb0", .sequence = sequence};
}

// A host whose settings the test writes, the kernel that announces it, and the watch of it.
class DriftWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    clock_.Advance(std::chrono::hours(1));
    Seams seams{.wait = [this](std::optional<Clock::TimePoint> until) { return Wait(until); },
                .wake = [this] { Wake(); },
                .read = [this](const RefreshOrder& order, const Seams::SharedFacts&) { return Read(order); },
                .testing = [this] { return testing_.load(); },
                .tell = [this](const DriftEvent& event) { Hear(event); },
                .configurer = applier_,
                .clock = &clock_};
    watch_ = std::make_unique<DriftWatch>(std::move(seams));
    ASSERT_TRUE(Until([this] { return orders_.size() == 1; })) << "the host is read once";
  }

  void TearDown() override { watch_.reset(); }

  void Set(Facts facts) {
    const std::lock_guard lock(mutex_);
    host_ = std::make_shared<const Facts>(std::move(facts));
  }

  void Announce(const HostNotice& notice, const std::vector<ProcessName>& suspects = {}) {
    const std::lock_guard lock(mutex_);
    table_.Add(notice, suspects);
    changed_.notify_all();
  }

  void Lose(NoticeKind kind) {
    const std::lock_guard lock(mutex_);
    table_.Lose(kind);
    changed_.notify_all();
  }

  // Whether it came to be; looked at under the lock. Time goes on as the watch waits.
  bool Until(const std::function<bool()>& holds) {
    return Eventually([&] {
      const std::lock_guard lock(mutex_);
      if (holds()) return true;
      GoOn(std::chrono::hours(1));
      return holds();
    });
  }

  // Whether it is not so for that time.
  bool NotWithin(milliseconds time, const std::function<bool()>& holds) {
    const Clock::TimePoint end = clock_.Now() + time;
    bool held = false;
    const bool over = Eventually([&] {
      const std::lock_guard lock(mutex_);
      held = held || holds();
      GoOn(end - clock_.Now());
      return held || clock_.Now() >= end;
    });
    return over && !held;
  }

  std::vector<DriftEvent> Told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  std::vector<RefreshOrder> Orders() {
    const std::lock_guard lock(mutex_);
    return orders_;
  }

  std::atomic<bool> testing_ = false;
  std::shared_ptr<MadeConfigurer> applier_ = std::make_shared<MadeConfigurer>();
  std::unique_ptr<DriftWatch> watch_{};
  FakeClock clock_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::shared_ptr<const Facts> host_ = std::make_shared<const Facts>(GoodHost());
  NoticeTable table_{};
  bool woken_ = false;
  bool waits_ = false;
  std::optional<Clock::TimePoint> until_{};  // of a wait
  std::vector<RefreshOrder> orders_{};
  std::vector<DriftEvent> told_{};
  std::function<void()> while_reading_{};  // once; with the lock held

 private:
  // Moves time by one look, and at most by `longest`: to the end of a wait; a little where it waits for a
  // notice, and less where it is at work. With the lock held.
  void GoOn(Clock::TimePoint::duration longest) {
    Clock::TimePoint::duration step = milliseconds(1);
    if (waits_ && Ready()) return;
    if (waits_) step = until_ ? std::max(*until_, clock_.Now()) - clock_.Now() : milliseconds(10);
    if (step.count() > 0) clock_.Advance(std::min(step, longest));
  }

  bool Ready() const { return woken_ || !table_.empty(); }

  HeardNotices Wait(std::optional<Clock::TimePoint> until) {
    std::unique_lock lock(mutex_);
    waits_ = true;
    until_ = until;
    if (until) {
      clock_.WaitUntil(changed_, lock, {}, *until, [this] { return Ready(); });
    } else {
      changed_.wait(lock, [this] { return Ready(); });
    }
    waits_ = false;
    woken_ = false;
    return table_.Take();
  }

  void Wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }

  absl::StatusOr<Seams::SharedFacts> Read(const RefreshOrder& order) {
    const std::lock_guard lock(mutex_);
    orders_.push_back(order);
    changed_.notify_all();
    if (while_reading_) std::exchange(while_reading_, {})();
    return host_;
  }

  void Hear(const DriftEvent& event) {
    const std::lock_guard lock(mutex_);
    told_.push_back(event);
    changed_.notify_all();
  }
};

TEST_F(DriftWatchTest, WhileNothingIsAnnouncedNothingIsRead) {
  EXPECT_TRUE(NotWithin(milliseconds(300), [this] { return orders_.size() > 1; }));
  EXPECT_THAT(Told(), IsEmpty());
}

TEST_F(DriftWatchTest, AWriteIsToldWithinASecondWithItsSuspect) {
  Clock::TimePoint::duration took = seconds(1);
  // A busy machine may hold one up.
  for (unsigned tries = 1; tries <= 5 && took >= seconds(1); ++tries) {
    Set(WithPfc((1U << 4U) + tries));
    const auto begin = clock_.Now();
    Announce(Written(4 + tries), {{712, "dcb"}});
    ASSERT_TRUE(Until([&] { return told_.size() == tries; }));
    took = clock_.Now() - begin;
  }
  EXPECT_LT(took, seconds(1));
  const DriftEvent event = Told().back();
  EXPECT_EQ(event.where, "dcb0");
  EXPECT_TRUE(event.announced);
  EXPECT_FALSE(event.own);
  EXPECT_THAT(event.suspects, ElementsAre("dcb (process 712)"));
  EXPECT_EQ(Orders().back(), (RefreshOrder{.netdevs = {GoodIfindex()}})) << "and only that netdev was read";
}

TEST_F(DriftWatchTest, WhatIsOfNoPortIsNotRead) {
  Announce({.kind = NoticeKind::kLink, .ifindex = 4711, .name = "veth1"});
  Announce({.kind = NoticeKind::kAddress, .ifindex = 4711});
  Announce({.kind = NoticeKind::kDcb, .name = "eth9"});
  EXPECT_TRUE(NotWithin(milliseconds(300), [this] { return orders_.size() > 1; }));
}

TEST_F(DriftWatchTest, AVlanThatComesUponAPortIsRead) {
  Announce({.kind = NoticeKind::kLink, .ifindex = 4711, .name = "dcb0.5", .lower = GoodIfindex()});
  EXPECT_TRUE(Until([this] { return orders_.size() == 2; }));
  EXPECT_EQ(Orders().back(), (RefreshOrder{.netdevs = {GoodIfindex()}}));
}

TEST_F(DriftWatchTest, OfTenThousandForeignChangesTheLastStateIsToldAndTheReadingsAreFew) {
  const auto begin = clock_.Now();
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    Set(WithPfc(i % 2 == 0 ? 1U << 4U : 1U << 5U));
    Announce(Written(i));
  }
  Set(WithPfc(1U << 6U));
  Announce(Written(10'000));
  ASSERT_TRUE(Until([this] { return !told_.empty() && told_.back().changes.back().to.starts_with("on 6 "); }));
  const auto took = std::chrono::ceil<seconds>(clock_.Now() - begin);
  EXPECT_LE(Orders().size(), 60U + 5U * static_cast<std::size_t>(took.count())) << "five a second at most";
  for (const DriftEvent& event : Told()) EXPECT_FALSE(event.own);
}

TEST_F(DriftWatchTest, OfAThousandOwnWritesNoneIsToldAsForeign) {
  std::vector<OwnWrite> writes;
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    writes.push_back({0, i});
    applier_->Say(writes);  // before it is sent, as the applier keeps it
    Set(WithPfc(i % 2 == 0 ? 1U << 4U : 1U << 5U));
    Announce(Written(i));
  }
  Set(WithPfc(1U << 6U));
  writes.push_back({0, 1001});
  applier_->Say(writes);
  Announce(Written(1001));
  ASSERT_TRUE(Until([this] { return !told_.empty() && told_.back().changes.back().to.starts_with("on 6 "); }));
  for (const DriftEvent& event : Told()) EXPECT_TRUE(event.own) << TextOf(event);
}

TEST_F(DriftWatchTest, WhatIsWrittenDuringAReadingIsKnownByItsNumber) {
  applier_->Say({{0, 7}});
  {
    const std::lock_guard lock(mutex_);
    while_reading_ = [this] {
      host_ = std::make_shared<const Facts>(WithPfc(1U << 5U));  // no value of any step: the half of one
      table_.Add(Written(7));
    };
  }
  Announce({.kind = NoticeKind::kLink, .ifindex = GoodIfindex(), .name = "dcb0"});
  ASSERT_TRUE(Until([this] { return !told_.empty(); }));
  for (const DriftEvent& event : Told()) EXPECT_TRUE(event.own) << TextOf(event);
  // And it may have been written just after: it is read once more.
  EXPECT_TRUE(Until([this] { return orders_.size() == 3; }));
}

// What an open change put to 4200, and somebody else's PFC beside it until nothing of the change is news.
class OpenChangeTest : public DriftWatchTest {
 protected:
  void SetUp() override {
    DriftWatchTest::SetUp();
    applier_->Say({{0, 7}}, WithState(ChangeState::kAwaitingConfirm));
    for (const unsigned priority : {4U, 5U, 6U}) {
      Set(WithMtu(WithPfc(1U << priority)));
      Announce(Written(100 + priority));
      ASSERT_TRUE(Until([&] { return TakePfc(priority); })) << priority;
    }
  }

  static ApplierStatus WithState(ChangeState state) {
    rdmaready::Change change{.id = "c1", .state = state};
    change.steps.push_back({.step = {.object = {SettingKind::kMtu, "dcb0", ""}, .from = "9000", .to = "4200"}});
    return {.changes = {change}};
  }

  static Facts WithMtu(Facts facts) {
    std::vector<Port> ports = *facts.ports;
    Netdev netdev = *ports.front().netdev;
    netdev.mtu_bytes = 4200;
    ports.front().netdev = netdev;
    facts.ports = ports;
    return facts;
  }

  // The MTU goes back, and what was told of that.
  DriftEvent GoesBack() {
    {
      const std::lock_guard lock(mutex_);
      told_.clear();
    }
    Set(WithPfc(1U << 6U));
    Announce({.kind = NoticeKind::kLink, .ifindex = GoodIfindex(), .name = "dcb0"});
    EXPECT_TRUE(Until([this] { return !told_.empty(); }));
    const std::vector<DriftEvent> told = Told();
    return told.empty() ? DriftEvent{} : told.front();
  }

 private:
  // Under the lock: whether that was told, which may be one of several of a reading; forgets what was told.
  bool TakePfc(unsigned priority) {
    const std::string now = "-> on " + std::to_string(priority);
    const bool told = std::ranges::any_of(
        told_, [&](const DriftEvent& event) { return TextOf(event).find(now) != std::string::npos; });
    if (told) told_.clear();
    return told;
  }
};

TEST_F(OpenChangeTest, TheFirstStepBackIsOursAlsoWhenTheApplierSaysItAMomentLater) {
  applier_->SayAfter(1, {{0, 7}, {0, 8}}, WithState(ChangeState::kRolledBack));
  const DriftEvent event = GoesBack();
  EXPECT_TRUE(event.own) << TextOf(event);
  EXPECT_EQ(event.change_id, "c1");
}

TEST_F(OpenChangeTest, WhatSomebodyElseSetsBackIsForeignAlsoAfterASecondLook) { EXPECT_FALSE(GoesBack().own); }

TEST_F(DriftWatchTest, WhenNoticesWereLostEveryNetdevIsRead) {
  Set(WithPfc(1U << 4U));
  Lose(NoticeKind::kDcb);
  ASSERT_TRUE(Until([this] { return !told_.empty(); }));
  EXPECT_EQ(Orders().back(), RefreshOrder{.every_netdev = true});
  Lose(NoticeKind::kLink);
  ASSERT_TRUE(Until([this] { return orders_.size() == 3; }));
  EXPECT_EQ(Orders().back(), RefreshOrder{.everything = true});
}

TEST_F(DriftWatchTest, WhileALiveTestRunsNothingIsReadAndNothingIsLost) {
  testing_ = true;
  Set(WithPfc(1U << 4U));
  Announce(Written(5));
  EXPECT_TRUE(NotWithin(milliseconds(500), [this] { return orders_.size() > 1; }));
  testing_ = false;
  EXPECT_TRUE(Until([this] { return !told_.empty(); }));
}

TEST_F(DriftWatchTest, WhatNobodyAnnouncesIsSeenByACheck) {
  watch_->Seen(std::make_shared<const Facts>(WithPfc(1U << 4U)),
               clock_.Now() + std::chrono::hours(1));  // whenever the first reading ended
  ASSERT_TRUE(Until([this] { return !told_.empty(); }));
  EXPECT_FALSE(Told().front().announced);
  EXPECT_EQ(Orders().size(), 1U) << "and nothing is read for it";
}

TEST_F(DriftWatchTest, ACheckThatMayBeOlderThanTheLastReadingIsNotBelieved) {
  const Clock::TimePoint before = clock_.Now();
  clock_.Advance(milliseconds(1));
  Set(WithPfc(1U << 4U));
  Announce(Written(5));
  ASSERT_TRUE(Until([this] { return !told_.empty(); }));
  watch_->Seen(std::make_shared<const Facts>(GoodHost()), before);
  EXPECT_TRUE(NotWithin(milliseconds(300), [this] { return told_.size() > 1; }));
}

TEST_F(DriftWatchTest, ADeviceThatGoesAndComesBackUnderAnotherIfindexIsWatchedOn) {
  Facts without = GoodHost();
  without.ports = std::vector<Port>{};
  Set(without);
  Announce({.kind = NoticeKind::kLink, .ifindex = GoodIfindex(), .name = "dcb0", .gone = true});
  ASSERT_TRUE(Until([this] { return !told_.empty(); }));
  EXPECT_TRUE(Orders().back().devices);
  Set(WithPfc(1U << 3U, 99));
  Announce({.kind = NoticeKind::kRdma, .name = "rxe0"});
  ASSERT_TRUE(Until([this] { return orders_.size() == 3; }));
  Set(WithPfc(1U << 4U, 99));
  Announce(Written(5));
  ASSERT_TRUE(Until([this] { return orders_.size() == 4; }));
  EXPECT_EQ(Orders().back(), RefreshOrder{.netdevs = {99}});
}

TEST_F(DriftWatchTest, ItProvesThatItGoesOn) { EXPECT_TRUE(watch_->GoesOn().ok()); }

}  // namespace
}  // namespace rdmaready::drift
