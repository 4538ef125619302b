// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/last_bursts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>

#include "agent/helper/pauser/order.h"
#include "api/base/status.h"

namespace rdmaready::helper {

using std::chrono::ceil;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

absl::Status LastBursts::FreeAt(const PausePort& port, Clock::TimePoint when, std::string_view why) const {
  const Clock::TimePoint now = clock_.Now();
  if (now >= when) return absl::OkStatus();
  const auto left = ceil<milliseconds>(when - now);
  const auto unix_ms = std::chrono::duration_cast<milliseconds>(clock_.Wall().time_since_epoch()) + left;
  return absl::UnavailableError(fmt::format(
      "send pauses on {}: {}; the port is free in {} ms, at {:%Y-%m-%d %H:%M:%S} UTC", port.netdev, why,
      left.count(), fmt::gmtime(static_cast<std::time_t>(ceil<std::chrono::seconds>(unix_ms).count()))));
}

absl::Status LastBursts::MayBegin(const PausePort& port, const PauseOrder& order, PauseBudget& budget) {
  for (const Last& last : last_) {
    if (!IsSamePort(last.port, port.key)) continue;
    const milliseconds wait = std::max({order.gap, order.burst, last.burst});
    RR_RETURN_IF_ERROR(
        FreeAt(port, last.end + wait, fmt::format("its last burst ended less than {} ms ago", wait.count())));
  }
  if (clock_.Now() >= started_ + kWaitAfterStart) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(const std::optional<nanoseconds> age, budget.AgeOfNewest(port.key));
  // An order of this process is in `last_`, or sent nothing.
  const nanoseconds up = clock_.Now() - started_;
  if (!age || *age <= up || *age - up >= kLongestOrder) return absl::OkStatus();
  return FreeAt(port, started_ + kWaitAfterStart,
                "a process before this one may have paused its partner until just now");
}

void LastBursts::Ended(const PausePortKey& port, milliseconds burst) {
  const Clock::TimePoint now = clock_.Now();
  // No wait is longer than a second: see CheckPauseOrder.
  std::erase_if(last_, [&](const Last& one) { return one.end + kMostGap < now || one.port == port; });
  if (last_.size() >= kMostPausedPorts) last_.erase(last_.begin());
  last_.push_back({port, now, burst});
}

}  // namespace rdmaready::helper
