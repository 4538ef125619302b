// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <semaphore>
#include <string>

#include "agent/server/proofs_of_life.h"
#include "agent/server/schedule.h"
#include "agent/server/service.h"  // before what brings <linux/ethtool.h>, whose macros have names of the wire
#include "api/base/status.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/agent/worker/gated_host.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr milliseconds kPeriod = minutes(3);

// A watchdog on a clock of its own: rounds are counted when they are over, which is when it sleeps again.
class WatchdogTest : public testing::Test {
 protected:
  ProofOfLife MayFail(std::string_view what, std::atomic<bool>& holds) {
    return {what, [&holds](milliseconds) {
              return holds ? absl::OkStatus() : absl::DeadlineExceededError("no answer");
            }};
  }

  Watchdog Start(std::vector<ProofOfLife> proofs) {
    return Watchdog(
        kPeriod, clock_, std::move(proofs), [this] { ++alive_; },
        [this](const Event& event) {
          const std::lock_guard lock(mutex_);
          told_.push_back(std::string(event.name) + ": " + std::get<std::string>(event.fields.front().value));
        });
  }

  void NextRound() {
    clock_.Advance(clock_.AwaitSleeper());
    clock_.AwaitSleeper();
  }

  std::vector<std::string> told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }

  FakeClock clock_;
  std::atomic<int> alive_ = 0;
  std::mutex mutex_;
  std::vector<std::string> told_{};
};

TEST_F(WatchdogTest, TellsThreeTimesInAPeriodThatAllProofsHold) {
  std::atomic<bool> holds = true;
  const Watchdog watchdog = Start({MayFail("one", holds), MayFail("two", holds)});
  EXPECT_EQ(clock_.AwaitSleeper(), kPeriod / 3);
  EXPECT_EQ(alive_, 1) << "at once: the period began with the start";
  for (int round = 2; round < 8; ++round) {
    NextRound();
    EXPECT_EQ(alive_, round);
  }
  EXPECT_THAT(told(), testing::IsEmpty());
}

TEST_F(WatchdogTest, TellsNothingWhileAnyProofFailsAndSaysWhichOnlyOnce) {
  std::atomic<bool> well = true;
  std::atomic<bool> may_fail = true;
  const Watchdog watchdog = Start({MayFail("calls are answered", well), MayFail("the host is read", may_fail)});
  clock_.AwaitSleeper();
  may_fail = false;
  for (int i = 0; i < 4; ++i) NextRound();
  EXPECT_EQ(alive_, 1);
  EXPECT_THAT(told(), ElementsAre("no-progress: the host is read: not proven: no answer"));
  may_fail = true;
  NextRound();
  EXPECT_EQ(alive_, 2);
  EXPECT_THAT(told(), ElementsAre(testing::_, "progress: all proofs hold again"));
}

TEST_F(WatchdogTest, GivesAllProofsTogetherNoMoreTimeThanThePauseBetweenTwoRounds) {
  std::mutex mutex;
  milliseconds given{0};
  const auto take = [&](milliseconds patience) {
    const std::lock_guard lock(mutex);
    given += patience;
    return absl::OkStatus();
  };
  const Watchdog watchdog = Start({{"one", take}, {"two", take}, {"three", take}});
  clock_.AwaitSleeper();
  const std::lock_guard lock(mutex);
  EXPECT_GT(given, milliseconds(0));
  EXPECT_LE(given, kPeriod / 3);
}

constexpr WorkerLimits kQuick{.question = milliseconds(60), .again = milliseconds(30)};

TEST(ProofOfReadingTest, HoldsWhileANicHangs) {
  const auto host = std::make_shared<GatedHost>();
  host->Hold("ask dcbnl");
  HostWorker worker(host, kQuick);
  const ProofOfLife proof = ProofOfReading(worker);
  for (int reading = 0; reading < 3; ++reading) {
    worker.CollectThen([](const HostWorker::FactsOrWhy&) {});
    EXPECT_TRUE(proof.prove(seconds(10)).ok());
  }
  EXPECT_GT(host->held(), 0) << "it does hang";
  EXPECT_TRUE(worker.Stuck());
  host->Release();
}

TEST(ProofOfReadingTest, FailsWhenTheWorkerItselfIsBlockedAndHoldsBehindAQueueThatMoves) {
  const auto host = std::make_shared<GatedHost>();
  std::counting_semaphore<> go_on(0);
  HostWorker worker(host, kQuick);
  const ProofOfLife proof = ProofOfReading(worker);
  // Readings that ask nothing, so that nobody gives them up.
  const auto block = [&] { return worker.Begin<bool>([&](HostReader&) { return go_on.acquire(), true; }); };
  std::vector<std::future<absl::StatusOr<bool>>> readings;
  for (int i = 0; i < 3; ++i) readings.push_back(block());
  const absl::Status blocked = proof.prove(milliseconds(50));
  EXPECT_THAT(Message(blocked), HasSubstr("not answered"));
  go_on.release();
  EXPECT_TRUE(readings[0].get().ok());
  EXPECT_TRUE(proof.prove(milliseconds(200)).ok()) << "one was finished since";
  EXPECT_FALSE(proof.prove(milliseconds(50)).ok()) << "and none after it";
  go_on.release(2);
  EXPECT_TRUE(readings[2].get().ok());
  EXPECT_TRUE(proof.prove(seconds(10)).ok());
}

TEST(ScheduleOnTime, SaysWhenARoundDoesNotEnd) {
  FakeClock clock;
  std::counting_semaphore<> started(0);
  std::counting_semaphore<> go_on(0);
  const Schedule schedule(minutes(15), 7, clock, [&](const std::stop_token&) {
    started.release();
    go_on.acquire();
  });
  EXPECT_TRUE(schedule.OnTime().ok());
  clock.Advance(clock.AwaitSleeper());
  started.acquire();
  EXPECT_TRUE(schedule.OnTime().ok());
  clock.Advance(minutes(14));
  EXPECT_TRUE(schedule.OnTime().ok()) << "a slow host";
  clock.Advance(minutes(2));
  EXPECT_THAT(Message(schedule.OnTime()), HasSubstr("has not ended for 960 s"));
  go_on.release();
  clock.AwaitSleeper();
  EXPECT_TRUE(schedule.OnTime().ok());
  go_on.release(10);
}

}  // namespace
}  // namespace rdmaready
