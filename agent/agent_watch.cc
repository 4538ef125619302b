// SPDX-License-Identifier: Apache-2.0
// A watch: two readings of the host, and what was heard between them; and two checks of the schedule, which are
// one too, without listening.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

#include "agent/agent.h"
#include "api/base/status.h"
#include "collectors/dcb/dcb_writes.h"
#include "collectors/lldp/lldp.h"
#include "collectors/overhear.h"
#include "collectors/watch.h"

namespace rdmaready {

absl::StatusOr<Facts> Agent::Watch(const LldpWait& wait) {
  // From the beginning of one reading to that of the other: each port is read as late in both.
  const Clock::TimePoint begin = clock().Now();
  RR_ASSIGN_OR_RETURN(const Facts before, Collect());
  // Who listens asks for what a reading that does not return may hold.
  const Overheard heard = ReadingStuck() ? Overheard() : Overhear(*host_, wait, before);
  clock().SleepUntil(begin + wait.longest,
                     wait.stop);  // where nothing can be listened on, counters count all the same
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(clock().Now() - begin);
  RR_ASSIGN_OR_RETURN(Facts after, Collect());
  KeepLldp(heard.lldp, after);
  heard_.Remember(after, begin);
  KeepDcbWrites(heard.dcb, before, after);
  KeepEarlier(before, static_cast<std::uint32_t>(passed.count()), after);
  return after;
}

void Agent::CompareWithLast(Facts& now) {
  const std::lock_guard lock(last_mutex_);
  LastReading reading{.facts = now, .when = clock().Now()};
  if (last_) {
    constexpr std::int64_t kLongestMs = std::numeric_limits<std::uint32_t>::max();
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(reading.when - last_->when);
    KeepEarlier(last_->facts, static_cast<std::uint32_t>(std::min(passed.count(), kLongestMs)), now);
  }
  last_ = std::move(reading);
}

}  // namespace rdmaready
