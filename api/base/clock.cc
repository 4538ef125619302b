// SPDX-License-Identifier: Apache-2.0
#include "api/base/clock.h"

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

}  // namespace

Clock& RealClock() {
  static SteadyClock clock;
  return clock;
}

}  // namespace rdmaready
