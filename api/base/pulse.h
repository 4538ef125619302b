// SPDX-License-Identifier: Apache-2.0
// Pulse: whether a thread that works in turns gets on. It beats at each turn, also when there was nothing to
// do; who looks sees how long ago the last one was, without waiting for anything that the thread may hold.
//
// Threads: any thread may call.
#pragma once

#include <atomic>
#include <chrono>

#include "api/base/clock.h"

namespace rdmaready {

class Pulse {
 public:
  // `clock` outlives it. It counts as the first beat that it was made.
  explicit Pulse(Clock& clock = RealClock()) : clock_(clock), beat_(clock.Now()) {}

  void Beat() { beat_ = clock_.Now(); }
  std::chrono::nanoseconds Since() const { return clock_.Now() - beat_.load(); }

 private:
  Clock& clock_;
  std::atomic<Clock::TimePoint> beat_;
};

}  // namespace rdmaready
