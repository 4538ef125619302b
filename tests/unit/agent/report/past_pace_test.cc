// SPDX-License-Identifier: Apache-2.0
// How often an agent reads what its live tests showed.
#include "agent/report/past_pace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "agent/report/reporter.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"

namespace rdmaready::report {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Clock::TimePoint kBegin{std::chrono::hours(1)};

TEST(PastPace, TestsThatFollowEachOtherAreReadTogether) {
  PastPace pace;
  EXPECT_FALSE(pace.TakeDue(kBegin));
  pace.Tested(kBegin);
  pace.Tested(kBegin + seconds(2));
  EXPECT_FALSE(pace.TakeDue(kBegin + milliseconds(2'999)));
  EXPECT_TRUE(pace.TakeDue(kBegin + seconds(3)));
  EXPECT_FALSE(pace.TakeDue(kBegin + seconds(3))) << "once";
  pace.Tested(kBegin, true);
  EXPECT_TRUE(pace.TakeDue(kBegin)) << "at the start nothing is waited for";
}

TEST(PastPace, RestsTwentyTimesWhatAReadingTook) {
  PastPace pace;
  pace.Tested(kBegin, true);
  ASSERT_TRUE(pace.TakeDue(kBegin));
  pace.Tested(kBegin + seconds(1));  // while it is read
  const Clock::TimePoint ended = kBegin + seconds(2);
  pace.Read(kBegin, ended, true);
  EXPECT_EQ(pace.due(), ended + seconds(40));
  ASSERT_TRUE(pace.TakeDue(ended + seconds(40)));
  pace.Read(ended + seconds(40), ended + seconds(41), true);
  EXPECT_EQ(pace.due(), std::nullopt) << "nothing was tested since";
  pace.Tested(ended + seconds(42));
  EXPECT_EQ(pace.due(), ended + seconds(61));
}

TEST(PastPace, AQuickReadingIsAsSoonAsEver) {
  PastPace pace;
  pace.Tested(kBegin, true);
  ASSERT_TRUE(pace.TakeDue(kBegin));
  const Clock::TimePoint ended = kBegin + milliseconds(1);
  pace.Read(kBegin, ended, true);
  pace.Tested(ended);
  EXPECT_EQ(pace.due(), ended + seconds(3));
}

TEST(PastPace, WhatWasNotToldIsReadAgainAndRestsAsLong) {
  PastPace pace;
  pace.Tested(kBegin, true);
  ASSERT_TRUE(pace.TakeDue(kBegin));
  pace.Read(kBegin, kBegin + milliseconds(1), false);
  EXPECT_EQ(pace.due(), kBegin + milliseconds(10'001));
  ASSERT_TRUE(pace.TakeDue(kBegin + seconds(11)));
  pace.Read(kBegin + seconds(11), kBegin + seconds(12), false);
  EXPECT_EQ(pace.due(), kBegin + seconds(32));
}

// Nobody listens there: the past is read all the same.
TEST(Reporter, ReadsThePastSeldomWhereReadingIsSlow) {
  using Time = Clock::TimePoint;
  FakeClock clock;
  const std::jthread time([&clock](const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(milliseconds(1)))
      clock.Advance(milliseconds(10));
  });
  struct Reading {
    Time begun{};
    Time ended{};
  };
  std::mutex mutex;
  std::vector<Reading> readings;
  const auto slow = [&]() -> absl::StatusOr<std::vector<CaseBaseline>> {
    Reading reading{.begun = clock.Now()};
    clock.Advance(milliseconds(170));
    reading.ended = clock.Now();
    const std::lock_guard lock(mutex);
    readings.push_back(reading);
    return std::vector<CaseBaseline>();
  };
  const std::string folder = testing::TempDir() + "past pace " + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  auto reporter = Reporter::Start({.hub = "127.0.0.1:1",
                                   .state_directory = folder,
                                   .check = [](const std::stop_token&) {},
                                   .past = slow,
                                   .clock = &clock});
  ASSERT_TRUE(reporter.ok()) << reporter.status();
  std::vector<Reading> seen;
  Eventually([&] {
    (*reporter)->Tested();
    const std::lock_guard lock(mutex);
    seen = readings;
    return seen.size() >= 2;
  });
  ASSERT_GE(seen.size(), 2u);
  EXPECT_GE(seen[1].begun - seen[0].ended, 20 * (seen[0].ended - seen[0].begun));
  reporter->reset();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace rdmaready::report
