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
  using Time = std::chrono::steady_clock::time_point;
  struct Reading {
    Time begun{};
    Time ended{};
  };
  std::mutex mutex;
  std::vector<Reading> readings;
  const auto slow = [&]() -> absl::StatusOr<std::vector<CaseBaseline>> {
    Reading reading{.begun = std::chrono::steady_clock::now()};
    std::this_thread::sleep_for(milliseconds(170));
    reading.ended = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex);
    readings.push_back(reading);
    return std::vector<CaseBaseline>();
  };
  const std::string folder = testing::TempDir() + "past pace " + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  auto reporter = Reporter::Start({.hub = "127.0.0.1:1",
                                   .state_directory = folder,
                                   .check = [](const std::stop_token&) {},
                                   .past = slow});
  ASSERT_TRUE(reporter.ok()) << reporter.status();
  const Time end = std::chrono::steady_clock::now() + seconds(100);  // a reading of seconds rests long
  std::vector<Reading> seen;
  while (seen.size() < 2 && std::chrono::steady_clock::now() < end) {
    (*reporter)->Tested();
    std::this_thread::sleep_for(milliseconds(20));
    const std::lock_guard lock(mutex);
    seen = readings;
  }
  ASSERT_GE(seen.size(), 2u);
  EXPECT_GE(seen[1].begun - seen[0].ended, 20 * (seen[0].ended - seen[0].begun));
  reporter->reset();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace rdmaready::report
