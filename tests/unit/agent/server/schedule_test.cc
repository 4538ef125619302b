// SPDX-License-Identifier: Apache-2.0
#include "agent/server/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <semaphore>

#include "tests/support/fake_clock.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr milliseconds kInterval = minutes(15);

TEST(NextWait, SpreadsTheFirstRoundOverTheInterval) {
  milliseconds least = kInterval;
  milliseconds most{0};
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const milliseconds wait = NextWait(kInterval, true, random);
    least = std::min(least, wait);
    most = std::max(most, wait);
  }
  EXPECT_GE(least, milliseconds(0));
  EXPECT_LT(least, kInterval / 20);
  EXPECT_LE(most, kInterval);
  EXPECT_GT(most, kInterval * 19 / 20);
}

TEST(NextWait, StaysNearTheIntervalAndIsNotTheSameTwice) {
  std::mt19937_64 random(7);
  const milliseconds first = NextWait(kInterval, false, random);
  bool differs = false;
  for (int i = 0; i < 500; ++i) {
    const milliseconds wait = NextWait(kInterval, false, random);
    EXPECT_GE(wait, kInterval * 9 / 10);
    EXPECT_LE(wait, kInterval * 11 / 10);
    differs |= wait != first;
  }
  EXPECT_TRUE(differs);
}

TEST(Schedule, RunsARoundWhenItsTimeHasComeAndNotBefore) {
  FakeClock clock;
  std::counting_semaphore<> rounds(0);
  const Schedule schedule(kInterval, 7, clock, [&](const std::stop_token&) { rounds.release(); });
  for (int i = 0; i < 20; ++i) {
    const auto wait = clock.AwaitSleeper();
    clock.Advance(wait - milliseconds(1));
    EXPECT_FALSE(rounds.try_acquire_for(milliseconds(1)));
    clock.Advance(milliseconds(1));
    rounds.acquire();
  }
}

TEST(Schedule, TellsTheTimeOfItsRoundsByTheSeed) {
  const auto waits = [](std::uint64_t seed) {
    FakeClock clock;
    const Schedule schedule(kInterval, seed, clock, [](const std::stop_token&) {});
    std::vector<std::chrono::steady_clock::duration> seen;
    for (int i = 0; i < 5; ++i) {
      seen.push_back(clock.AwaitSleeper());
      clock.Advance(seen.back());
    }
    return seen;
  };
  EXPECT_EQ(waits(7), waits(7));
  EXPECT_NE(waits(7), waits(8));
}

TEST(Schedule, NeverMeetsItself) {
  FakeClock clock;
  std::counting_semaphore<> started(0);
  std::counting_semaphore<> go_on(0);
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  const Schedule schedule(kInterval, 7, clock, [&](const std::stop_token&) {
    most = std::max(most.load(), ++running);
    started.release();
    go_on.acquire();
    --running;
  });
  clock.Advance(clock.AwaitSleeper());
  started.acquire();
  clock.Advance(kInterval * 10);  // ten rounds too late
  EXPECT_FALSE(started.try_acquire_for(milliseconds(20)));
  go_on.release();
  EXPECT_GE(clock.AwaitSleeper(), kInterval * 9 / 10) << "a whole interval, not the rounds that were missed";
  EXPECT_EQ(most, 1);
}

TEST(Schedule, EndsAtOnceWhileItWaitsAndTellsARoundThatRuns) {
  FakeClock clock;
  {
    const Schedule schedule(kInterval, 7, clock, [](const std::stop_token&) {});
    clock.AwaitSleeper();
  }
  std::counting_semaphore<> started(0);
  std::atomic<bool> told = false;
  {
    const Schedule schedule(kInterval, 7, clock, [&](const std::stop_token& stop) {
      started.release();
      while (!stop.stop_requested()) std::this_thread::yield();
      told = true;
    });
    clock.Advance(clock.AwaitSleeper());
    started.acquire();
  }
  EXPECT_TRUE(told);
}

TEST(RealClock, SleepsAndIsWoken) {
  const auto before = RealClock().Now();
  EXPECT_TRUE(RealClock().SleepUntil(before + milliseconds(5), std::stop_token()));
  EXPECT_GE(RealClock().Now() - before, milliseconds(5));
  std::stop_source stop;
  std::jthread waker([&] { stop.request_stop(); });
  EXPECT_FALSE(RealClock().SleepUntil(before + minutes(60), stop.get_token()));
}

}  // namespace
}  // namespace rdmaready
