// SPDX-License-Identifier: Apache-2.0
// Waiting: repeats a check until all hosts are ready, waiting cannot help, or the time is over. Pauses grow,
// and live tests are repeated only where the settings of all hosts are ready.
//
// Threads: Run() is called once; Last() at any time, from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "api/base/clock.h"
#include "cli/fleet/check_summary.h"

namespace rdmaready {

class Waiting {
 public:
  // One check of all hosts up to `level`, which is the one that was asked for, or kHost.
  using Check = std::function<CheckSummary(Rung level)>;
  // The result of the last check, where that differs from the check before: "not ready: a (link.state)".
  using Changed = std::function<void(const std::string& headline)>;

  // No check begins after `limit`. `clock` outlives it.
  Waiting(std::chrono::milliseconds limit, Rung level, Clock& clock = RealClock());

  // The last check, with how long was waited. It is judged up to the level that was asked for. `changed` may be
  // empty; it is called for checks that are followed by another one.
  CheckSummary Run(const Check& check, const Changed& changed);

  // The last check that came to its end; nothing before the first one did.
  std::optional<CheckSummary> Last() const;

 private:
  void Keep(CheckSummary run, std::uint32_t tries);

  const std::chrono::milliseconds limit_;
  const Rung level_;
  Clock& clock_;
  Clock::TimePoint began_{};
  mutable std::mutex mutex_;  // guards what follows
  std::optional<CheckSummary> last_{};
};

}  // namespace rdmaready
