// SPDX-License-Identifier: Apache-2.0
// SpentTimes: for how long the stress tests of each caller held each port within the last hour.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "api/base/clock.h"

namespace rdmaready {

// A time counts as a whole until an hour after its end. Threads: one at a time.
class SpentTimes {
 public:
  using Key = std::pair<std::string, std::string>;  // port, and who

  Clock::TimePoint::duration Of(const Key& key, Clock::TimePoint now) {
    Forget(now);
    Clock::TimePoint::duration sum{};
    const auto found = times_.find(key);
    if (found == times_.end()) return sum;
    for (const Time& one : found->second) sum += one.length;
    return sum;
  }

  void Add(const Key& key, Clock::TimePoint::duration length, Clock::TimePoint now) {
    Forget(now);
    if (times_.size() >= kMostKeys && !times_.contains(key))
      times_.erase(
          std::ranges::min_element(times_, {}, [](const auto& entry) { return entry.second.back().end; }));
    std::deque<Time>& times = times_[key];
    times.push_back({now, length});
    if (times.size() <= kMostTimes) return;
    // The first two count as one that ends with the second.
    times[1].length += times[0].length;
    times.pop_front();
  }

 private:
  static constexpr std::chrono::hours kHour{1};
  static constexpr std::size_t kMostKeys = 4096;
  static constexpr std::size_t kMostTimes = 64;

  struct Time {
    Clock::TimePoint end{};
    Clock::TimePoint::duration length{};
  };

  void Forget(Clock::TimePoint now) {
    for (auto& [key, times] : times_)
      while (!times.empty() && times.front().end + kHour <= now) times.pop_front();
    std::erase_if(times_, [](const auto& entry) { return entry.second.empty(); });
  }

  std::map<Key, std::deque<Time>> times_{};  // none is empty; by their ends
};

}  // namespace rdmaready
