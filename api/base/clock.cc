// SPDX-License-Identifier: Apache-2.0
#include "api/base/clock.h"

#include <time.h>

#include <algorithm>

namespace rdmaready {
namespace {

class SteadyClock final : public Clock {
 public:
  TimePoint Now() override { return std::chrono::steady_clock::now(); }
  WallTime Wall() override { return std::chrono::system_clock::now(); }

  bool SleepUntil(TimePoint when, const std::stop_token& stop) override {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_until(lock, stop, when, [] { return false; });
    return !stop.stop_requested();
  }

  bool WaitUntil(std::condition_variable_any& wake, std::unique_lock<std::mutex>& lock,
                 const std::stop_token& stop, TimePoint when, const std::function<bool()>& ready) override {
    return wake.wait_until(lock, stop, when, ready);
  }
};

// The library's waits stop during a suspension, so this clock looks again twice a second.
class TimeSinceBoot final : public Clock {
 public:
  TimePoint Now() override {
    ::timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return TimePoint(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
  }
  WallTime Wall() override { return std::chrono::system_clock::now(); }

  bool SleepUntil(TimePoint when, const std::stop_token& stop) override {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    WaitUntil(wake, lock, stop, when, [] { return false; });
    return !stop.stop_requested();
  }

  bool WaitUntil(std::condition_variable_any& wake, std::unique_lock<std::mutex>& lock,
                 const std::stop_token& stop, TimePoint when, const std::function<bool()>& ready) override {
    constexpr auto kLookAgain = std::chrono::milliseconds(500);
    for (auto left = when - Now(); left.count() > 0 && !stop.stop_requested(); left = when - Now()) {
      if (wake.wait_for(lock, stop, std::min<TimePoint::duration>(left, kLookAgain), ready)) return true;
    }
    return ready();
  }
};

}  // namespace

Clock& BootClock() {
  static TimeSinceBoot clock;
  return clock;
}

Clock& RealClock() {
  static SteadyClock clock;
  return clock;
}

Clock::WallTime DeadlineIn(std::chrono::nanoseconds time) {
  return std::chrono::system_clock::now() + std::chrono::duration_cast<Clock::WallTime::duration>(time);
}

std::int64_t UnixNs(Clock& clock) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock.Wall().time_since_epoch()).count();
}

}  // namespace rdmaready
