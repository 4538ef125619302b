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
  EXPECT_LE(ReadingsIn(seconds(1), true), 6);
  EXPECT_LE(ReadingsIn(seconds(600), true), 140);
  EXPECT_GE(ReadingsIn(seconds(600), true), 120);
}

TEST(Pace, AFloodThatChangesNothingIsReadEverySecond) {
  EXPECT_LE(ReadingsIn(seconds(600), false), 620);
  EXPECT_GE(ReadingsIn(seconds(600), false), 590);
}

TEST(Pace, AfterSomeQuietTheFirstIsAtOnceAgain) {
  Pace pace;
  Pace::TimePoint now = kBegin;
  for (int i = 0; i < 100; ++i, now = pace.Earliest()) pace.HasRead(now, true);
  now += seconds(60);
  pace.HasRead(now, true);
  EXPECT_EQ(pace.Earliest(), now + milliseconds(200));
}

TEST(Pace, WhoTypesACommandEachSecondForAQuarterOfAMinuteIsToldOfEachWithinASecond) {
  Pace pace;
  for (int i = 0; i < 15; ++i) {
    const Pace::TimePoint typed = kBegin + seconds(i);
    const Pace::TimePoint read = std::max(typed, pace.Earliest());
    EXPECT_LT(read - typed, seconds(1)) << i;
    pace.HasRead(read, true);
  }
}

}  // namespace
}  // namespace rdmaready::drift
