// SPDX-License-Identifier: Apache-2.0
#include "agent/drift/pace.h"

#include <gtest/gtest.h>

namespace rdmaready::drift {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Pace::TimePoint kBegin = Pace::TimePoint() + std::chrono::hours(1);

// Readings of a flood that lasts: each as early as it may be.
int ReadingsIn(seconds time, bool changed) {
  Pace pace;
  int readings = 0;
  for (Pace::TimePoint now = kBegin; now < kBegin + time; now = pace.Earliest(), ++readings)
    pace.HasRead(now, changed);
  return readings;
}

TEST(Pace, TheFirstReadingIsAtOnceAndTheNextAfterAFifthOfASecond) {
  Pace pace;
  EXPECT_LT(pace.Earliest(), kBegin);
  pace.HasRead(kBegin, true);
  EXPECT_EQ(pace.Earliest(), kBegin + milliseconds(200));
}

TEST(Pace, AFloodOfChangesIsReadEveryFiveSecondsInTheEnd) {
  EXPECT_LE(ReadingsIn(seconds(1), true), 5);
  EXPECT_LE(ReadingsIn(seconds(3600), true), 3600 / 5 + 70);
  EXPECT_GE(ReadingsIn(seconds(3600), true), 3600 / 5);
}

TEST(Pace, AFloodThatChangesNothingIsReadLessThanTwiceASecond) {
  EXPECT_LE(ReadingsIn(seconds(600), false), 1'030);
  EXPECT_GE(ReadingsIn(seconds(600), false), 600);
}

TEST(Pace, AfterSomeQuietTheNextIsAtOnceAgain) {
  Pace pace;
  Pace::TimePoint now = kBegin;
  for (int i = 0; i < 1000; ++i, now = pace.Earliest()) pace.HasRead(now, true);
  now += std::chrono::minutes(5);
  pace.HasRead(now, true);
  EXPECT_EQ(pace.Earliest(), now + milliseconds(200));
}

TEST(Pace, WhatIsTypedAfterAScriptThatChangedFortyThingsIsToldWithinASecond) {
  Pace pace;
  Pace::TimePoint now = kBegin;
  for (int i = 0; i < 40; ++i, now = pace.Earliest()) pace.HasRead(now, true);
  for (int i = 0; i < 15; ++i) {
    const Pace::TimePoint typed = now + seconds(i);
    const Pace::TimePoint read = std::max(typed, pace.Earliest());
    EXPECT_LT(read - typed, seconds(1)) << i;
    pace.HasRead(read, true);
  }
}

}  // namespace
}  // namespace rdmaready::drift
