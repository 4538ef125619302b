// SPDX-License-Identifier: Apache-2.0
// LastBursts: when each port was paused last. So an order waits after the burst of another order as long as one
// of its own bursts does, also where the other order was one of a process before this one.
#pragma once

#include <chrono>
#include <vector>

#include "absl/status/status.h"
#include "agent/helper/pauser/pause_budget.h"
#include "agent/helper/pauser/pause_port.h"
#include "agent/helper/pauser/pauser.h"
#include "api/base/clock.h"

namespace rdmaready::helper {

// How long a new process waits where one before it may have paused the port until its end.
inline constexpr std::chrono::seconds kWaitAfterStart{1};

// For one thread at a time. It remembers kMostPausedPorts ports, since the budget has no more in an hour.
class LastBursts {
 public:
  // A process makes it when it starts. `clock` is that of the bursts and outlives this.
  explicit LastBursts(Clock& clock) : clock_(clock), started_(clock.Now()) {}

  // kUnavailable, with the time when the port is free: less time than the order's gap, its burst or the last
  // burst has passed since the last burst. Or this process began less than kWaitAfterStart ago, and an order
  // that the budget knows may have lasted until then. Errors of PauseBudget::AgeOfNewest too.
  absl::Status MayBegin(const PausePort& port, const PauseOrder& order, PauseBudget& budget);

  // A burst of that length ended now.
  void Ended(const PausePortKey& port, std::chrono::milliseconds burst);

 private:
  struct Last {
    PausePortKey port{};
    Clock::TimePoint end{};
    std::chrono::milliseconds burst{};
  };

  absl::Status FreeAt(const PausePort& port, Clock::TimePoint when, std::string_view why) const;

  Clock& clock_;
  const Clock::TimePoint started_;
  std::vector<Last> last_{};
};

}  // namespace rdmaready::helper
