// SPDX-License-Identifier: Apache-2.0
#include "agent/schedule.h"

#include <utility>

namespace rdmaready {

std::chrono::milliseconds NextWait(std::chrono::milliseconds interval, bool first, std::mt19937_64& random) {
  const std::int64_t whole = interval.count();
  const std::int64_t jitter = whole / 10;
  std::uniform_int_distribution<std::int64_t> wait(first ? 0 : whole - jitter, first ? whole : whole + jitter);
  return std::chrono::milliseconds(wait(random));
}

Schedule::Schedule(std::chrono::milliseconds interval, std::uint64_t seed, Clock& clock,
                   std::function<void(std::stop_token)> round)
    : thread_([interval, seed, &clock, round = std::move(round)](const std::stop_token& stop) {
        std::mt19937_64 random(seed);
        for (bool first = true; clock.SleepUntil(clock.Now() + NextWait(interval, first, random), stop);
             first = false) {
          round(stop);
        }
      }) {}

}  // namespace rdmaready
