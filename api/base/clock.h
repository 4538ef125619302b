// SPDX-License-Identifier: Apache-2.0
// Clock: the seam to time, so that a test moves it by hand.
#pragma once

#include <chrono>
#include <stop_token>

namespace rdmaready {

// Threads: every method may be called from any thread.
class Clock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;

  virtual TimePoint Now() = 0;

  // Returns at `when`, or at once when `stop` is requested, and then false.
  virtual bool SleepUntil(TimePoint when, const std::stop_token& stop) = 0;
};

// The machine's own, monotonic. It stands still while the machine is suspended.
Clock& RealClock();

// The machine's own, monotonic, and goes on while it is suspended (CLOCK_BOOTTIME): what came due meanwhile
// returns within a second of its waking. Its points in time are of no other clock.
Clock& BootClock();

}  // namespace rdmaready
