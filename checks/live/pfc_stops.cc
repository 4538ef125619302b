// SPDX-License-Identifier: Apache-2.0
#include "checks/live/pfc_stops.h"

#include <algorithm>
#include <cstdlib>

namespace rdmaready {
namespace {

constexpr std::int64_t kLateIntervals = 2;
constexpr double kMostOfInterval = 1.5;  // times the usual
constexpr double kAllOfIt = 1000;

}  // namespace

std::uint64_t MedianOf(Intervals intervals) {
  std::vector<std::uint64_t> sorted(intervals.begin(), intervals.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

std::vector<Stop> StopsIn(Intervals intervals, std::uint64_t usual, std::size_t least) {
  std::vector<Stop> stops;
  Stop stop;
  for (std::size_t i = 0; i <= intervals.size(); ++i) {
    if (i < intervals.size() && intervals[i] < usual / kQuietShare) {
      if (stop.count++ == 0) stop.first = i;
      continue;
    }
    if (stop.count >= least) stops.push_back(stop);
    stop = {};
  }
  return stops;
}

bool AreOnTime(const std::vector<Stop>& stops, const BurstTimes& times) {
  const std::int64_t late_ns = kLateIntervals * times.interval_ns;
  for (std::size_t i = 0; i < stops.size(); ++i) {
    if (static_cast<std::int64_t>(stops[i].count) * times.interval_ns > times.burst_ns + late_ns) return false;
    if (i == 0) continue;
    const auto later = static_cast<std::int64_t>(stops[i].first - stops[i - 1].first);
    if (std::abs(later * times.interval_ns - times.period_ns) > late_ns) return false;
  }
  return true;
}

std::uint32_t LeastMovedPermille(Intervals intervals, std::uint64_t usual, const BurstTimes& times) {
  const auto at = [&times](std::size_t burst) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(burst) * times.period_ns / times.interval_ns);
  };
  const auto length = static_cast<std::size_t>((times.burst_ns + times.interval_ns - 1) / times.interval_ns);
  if (times.bursts == 0 || times.bursts > intervals.size()) return 0;
  const std::size_t taken = at(times.bursts - 1) + length;
  if (taken > intervals.size()) return 0;
  const double all = static_cast<double>(usual) * static_cast<double>(times.bursts * length);
  const double most = kMostOfInterval * static_cast<double>(usual);
  double least = all;
  for (std::size_t begin = 0; begin + taken <= intervals.size(); ++begin) {
    double moved = 0;
    for (std::size_t burst = 0; burst < times.bursts; ++burst)
      for (const std::uint64_t bytes : intervals.subspan(begin + at(burst), length))
        moved += std::min(static_cast<double>(bytes), most);
    least = std::min(least, moved);
  }
  return static_cast<std::uint32_t>(all > 0 ? least * kAllOfIt / all : 0);
}

}  // namespace rdmaready
