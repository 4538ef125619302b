// SPDX-License-Identifier: Apache-2.0
#include "api/base/clock.h"

#include <time.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace rdmaready {
namespace {

class SteadyClock final : public Clock {
 public:
  TimePoint Now() override { return std::chrono::steady_clock::now(); }

  bool SleepUntil(TimePoint when, const std::stop_token& stop) override {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_until(lock, stop, when, [] { return false; });
    return !stop.stop_requested();
  }
};

// What the library waits by stands still in a suspension, so it is looked again now and then.
class TimeSinceBoot final : public Clock {
 public:
  TimePoint Now() override {
    ::timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return TimePoint(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
  }

  bool SleepUntil(TimePoint when, const std::stop_token& stop) override {
    constexpr auto kLookAgain = std::chrono::milliseconds(500);
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    for (auto left = when - Now(); left.count() > 0 && !stop.stop_requested(); left = when - Now())
      wake.wait_for(lock, stop, std::min<TimePoint::duration>(left, kLookAgain), [] { return false; });
    return !stop.stop_requested();
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

}  // namespace rdmaready
