// SPDX-License-Identifier: Apache-2.0
// Pace: when to read next. The first notice is followed up at once; then there are at most five readings a
// second, fewer when it goes on, and one in five seconds while, for most of a minute, each shows another
// change.
#pragma once

#include <algorithm>
#include <chrono>

namespace rdmaready::drift {

class Pace {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::milliseconds kShortest{200};
  static constexpr std::chrono::milliseconds kOften{600};      // what is typed is still told within a second
  static constexpr std::chrono::milliseconds kLongest{5'000};  // for the log and the history
  static constexpr double kFew = 10;                           // readings, or changes, until it is kOften
  static constexpr double kMany = 60;                          // changes until it is kLongest
  static constexpr std::chrono::seconds kForget{1};            // a reading counts for so long
  static constexpr std::chrono::seconds kForgetChange{5};      // and one that showed a change

  // The earliest that a reading may begin.
  TimePoint Earliest() const { return earliest_; }

  void HasRead(TimePoint now, bool changed) {
    const double passed_s = last_ == TimePoint::min() ? 0 : std::chrono::duration<double>(now - last_).count();
    last_ = now;
    Count(readings_, passed_s, kForget, true);
    Count(changes_, passed_s, kForgetChange, changed);
    earliest_ = now + Interval();
  }

 private:
  static void Count(double& count, double passed_s, std::chrono::seconds forget, bool one_more) {
    count = std::max(0.0, count - passed_s / std::chrono::duration<double>(forget).count());
    if (one_more) count = std::min(count + 1, kMany + 1);
  }

  std::chrono::milliseconds Interval() const {
    if (changes_ > kMany) return kLongest;
    return changes_ > kFew || readings_ > kFew ? kOften : kShortest;
  }

  TimePoint earliest_ = TimePoint::min();
  TimePoint last_ = TimePoint::min();
  double readings_ = 0;
  double changes_ = 0;
};

}  // namespace rdmaready::drift
