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

  bool SleepUntil(TimePoint when, const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    sleeper_ = when;
    changed_.notify_all();
    changed_.wait(lock, stop, [&] { return now_ >= when; });
    sleeper_.reset();
    return !stop.stop_requested();
  }

  // Waits (really) until somebody sleeps, and says for how long.
  std::chrono::steady_clock::duration AwaitSleeper() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sleeper_ && *sleeper_ > now_; });
    return *sleeper_ - now_;
  }

  void Advance(std::chrono::steady_clock::duration by) {
    const std::lock_guard lock(mutex_);
    now_ += by;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  TimePoint now_{};
  std::optional<TimePoint> sleeper_;
};

}  // namespace rdmaready
