// SPDX-License-Identifier: Apache-2.0
// FakeClock: time that moves when a test says so.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

#include "api/base/clock.h"

namespace rdmaready {

class FakeClock final : public Clock {
 public:
  TimePoint Now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  WallTime Wall() override {
    const std::lock_guard lock(mutex_);
    return wall_;
  }

  bool SleepUntil(TimePoint when, const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    sleeper_ = when;
    changed_.notify_all();
    changed_.wait(lock, stop, [&] { return now_ >= when; });
    sleeper_.reset();
    return !stop.stop_requested();
  }

  // A test may advance while the waiter is between its look and its wait, and cannot lock the waiter's mutex:
  // so the waiter looks every few milliseconds of real time.
  bool WaitUntil(std::condition_variable_any& wake, std::unique_lock<std::mutex>& lock,
                 const std::stop_token& stop, TimePoint when, const std::function<bool()>& ready) override {
    Announce(when);
    bool is_ready = ready();
    while (!is_ready && Now() < when && !stop.stop_requested())
      is_ready = wake.wait_for(lock, stop, std::chrono::milliseconds(2), ready);
    Announce(std::nullopt);
    return is_ready;
  }

  // Waits (really) until somebody sleeps or waits for a later time, and returns for how long.
  std::chrono::steady_clock::duration AwaitSleeper() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sleeper_ && *sleeper_ > now_; });
    return *sleeper_ - now_;
  }

  // Both the monotonic time and the date go on.
  void Advance(std::chrono::steady_clock::duration by) {
    const std::lock_guard lock(mutex_);
    now_ += by;
    wall_ += std::chrono::duration_cast<WallTime::duration>(by);
    changed_.notify_all();
  }

  // The date alone: as when somebody sets it.
  void SetWall(WallTime wall) {
    const std::lock_guard lock(mutex_);
    wall_ = wall;
  }

 private:
  void Announce(std::optional<TimePoint> sleeper) {
    const std::lock_guard lock(mutex_);
    sleeper_ = sleeper;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  TimePoint now_{};
  WallTime wall_{std::chrono::seconds(1'790'000'000)};  // September 2026
  std::optional<TimePoint> sleeper_;
};

}  // namespace rdmaready
