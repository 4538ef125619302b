// SPDX-License-Identifier: Apache-2.0
// Clock: the seam to time, so that a test moves it by hand. Only clock.cc, the command line and the transfer
// engine read the machine's time themselves (tests/lint).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>

namespace rdmaready {

// Threads: every method may be called from any thread.
class Clock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;  // monotonic: for waiting, expiry and durations
  using WallTime = std::chrono::system_clock::time_point;   // the date: for stamps

  virtual ~Clock() = default;

  virtual TimePoint Now() = 0;
  virtual WallTime Wall() = 0;

  // Returns at `when`, or at once when `stop` is requested, and then false.
  virtual bool SleepUntil(TimePoint when, const std::stop_token& stop) = 0;

  // Waits on `wake`, with `lock` held as for a condition variable, until `ready` holds, it is `when`, or `stop`
  // is requested. Returns what `ready` says last. `ready` is called with the lock held.
  virtual bool WaitUntil(std::condition_variable_any& wake, std::unique_lock<std::mutex>& lock,
                         const std::stop_token& stop, TimePoint when, const std::function<bool()>& ready) = 0;
};

// The machine's own, monotonic. It stops while the machine is suspended.
Clock& RealClock();

// The machine's own, monotonic, and goes on while it is suspended (CLOCK_BOOTTIME): an expiry during a
// suspension returns within a second of the machine's waking. Its points in time must not be mixed with those
// of another clock.
Clock& BootClock();

// The deadline that gRPC wants, which counts by the machine's date, for a call that may take so long from now
// on.
Clock::WallTime DeadlineIn(std::chrono::nanoseconds time);

// Nanoseconds since 1970, of `clock`.
std::int64_t UnixNs(Clock& clock);

}  // namespace rdmaready
