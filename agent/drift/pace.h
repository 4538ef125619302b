// SPDX-License-Identifier: Apache-2.0
// Pace: when to read next. The first notice is followed up at once; then there are at most five readings a
// second, and fewer while it goes on: at most one in five seconds where each shows another change.
#pragma once

#include <algorithm>
#include <chrono>

namespace rdmaready::drift {

class Pace {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::milliseconds kShortest{200};
  static constexpr std::chrono::milliseconds kLongest{1'000};  // where nothing had changed
  static constexpr std::chrono::milliseconds kLongestOfChanges{5'000};
  static constexpr int kOften =
      10;  // readings before they become fewer, if one comes more often than is forgotten:
  static constexpr std::chrono::seconds kForget{1};           // one of them in that time,
  static constexpr std::chrono::seconds kForgetOfChanges{5};  // and one of those that showed a change

  // The earliest that a reading may begin.
  TimePoint Earliest() const { return earliest_; }

  void HasRead(TimePoint now, bool changed) {
    const double passed_s = last_ == TimePoint::min() ? 0 : std::chrono::duration<double>(now - last_).count();
    last_ = now;
    Count(readings_, passed_s, kForget, true);
    Count(changes_, passed_s, kForgetOfChanges, changed);
    earliest_ = now + std::max(After(readings_, kLongest), After(changes_, kLongestOfChanges));
  }

 private:
  static constexpr double kMost = kOften + 5;

  static void Count(double& count, double passed_s, std::chrono::seconds forget, bool one_more) {
    count = std::max(0.0, count - passed_s / std::chrono::duration<double>(forget).count());
    if (one_more) count = std::min(count + 1, kMost);
  }

  static std::chrono::milliseconds After(double count, std::chrono::milliseconds longest) {
    const int beyond = std::max(0, static_cast<int>(count) - kOften);
    return std::min(kShortest * (1 << beyond), longest);
  }

  TimePoint earliest_ = TimePoint::min();
  TimePoint last_ = TimePoint::min();
  double readings_ = 0;
  double changes_ = 0;
};

}  // namespace rdmaready::drift
