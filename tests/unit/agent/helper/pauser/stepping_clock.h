// SPDX-License-Identifier: Apache-2.0
// SteppingClock: each sleep takes its time and `late`, and each look at the clock `look`.
#pragma once

#include <functional>

#include "api/base/clock.h"

namespace rdmaready::helper {

// For one thread.
class SteppingClock final : public Clock {
 public:
  TimePoint Now() override {
    const TimePoint seen = now;
    now += look;
    return seen;
  }
  WallTime Wall() override { return wall; }
  bool SleepUntil(TimePoint when, const std::stop_token& stop) override {
    if (before_sleep) before_sleep(when);
    if (stop.stop_requested()) return false;
    now = std::max(now, when + late);
    return true;
  }
  bool WaitUntil(std::condition_variable_any&, std::unique_lock<std::mutex>&, const std::stop_token&, TimePoint,
                 const std::function<bool()>& ready) override {
    return ready();
  }

  TimePoint now{std::chrono::hours(100)};
  WallTime wall{std::chrono::seconds(1'790'000'000)};  // September 2026
  std::chrono::nanoseconds late{};                     // of each sleep
  std::chrono::nanoseconds look{};                     // who spins needs some
  std::function<void(TimePoint when)> before_sleep{};
};

}  // namespace rdmaready::helper
