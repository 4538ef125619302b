// SPDX-License-Identifier: Apache-2.0
// Stops of a transfer, as its bytes in short intervals show them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rdmaready {

inline constexpr std::uint32_t kQuietShare = 8;  // below an eighth of what is usual

using Intervals = std::span<const std::uint64_t>;  // bytes

// `intervals` is not empty.
std::uint64_t MedianOf(Intervals intervals);

struct Stop {
  std::size_t first = 0;  // interval
  std::size_t count = 0;
};

// Runs of at least `least` quiet intervals.
std::vector<Stop> StopsIn(Intervals intervals, std::uint64_t usual, std::size_t least);

// When the bursts of pauses came. Where the first one begins is not known.
struct BurstTimes {
  std::size_t bursts = 0;
  std::int64_t interval_ns = 1;  // above 0
  std::int64_t burst_ns = 0;     // at least an interval
  std::int64_t period_ns = 0;    // from the begin of one to the begin of the next; at least a burst
};

// Whether each stop is as late after the one before it as its burst was, within two intervals, and at most two
// intervals longer than a burst.
bool AreOnTime(const std::vector<Stop>& stops, const BurstTimes& times);

// The least that moved during the bursts, in thousandths of what is usual, wherever the first of them began. An
// interval counts for at most one and a half of the usual ones: thus a transfer that made up for its stop
// shows. 0: the bursts do not fit into the intervals.
std::uint32_t LeastMovedPermille(Intervals intervals, std::uint64_t usual, const BurstTimes& times);

}  // namespace rdmaready
