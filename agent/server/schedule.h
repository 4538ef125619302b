// SPDX-License-Identifier: Apache-2.0
// Schedule: the agent's own rounds. One thread, so a round never meets itself; a round that takes longer than
// the interval is followed by the next one after another whole interval.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <stop_token>
#include <thread>

#include "absl/status/status.h"
#include "api/base/clock.h"

namespace rdmaready {

// How long until the next round. The first comes anywhere within the interval, so that a thousand hosts that
// got their power back together do not work together; the others 10 % around it, so that they do not drift
// into step.
std::chrono::milliseconds NextWait(std::chrono::milliseconds interval, bool first, std::mt19937_64& random);

class Schedule {
 public:
  // Calls `round` until destroyed. Its token is stopped by the destructor, which waits for its return.
  // `interval` is positive; `clock` outlives this.
  Schedule(std::chrono::milliseconds interval, std::uint64_t seed, Clock& clock,
           std::function<void(std::stop_token)> round);

  // Not OK: a round that was due has not begun, or one has not ended for longer than any may take. Any thread may call.
  absl::Status OnTime() const;

 private:
  Clock& clock_;
  // When the next round is due, or when the one that runs began; ticks of the clock.
  std::atomic<Clock::TimePoint::rep> since_ = 0;
  std::atomic<bool> in_round_ = false;
  std::jthread thread_;
};

}  // namespace rdmaready
