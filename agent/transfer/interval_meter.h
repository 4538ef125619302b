// SPDX-License-Identifier: Apache-2.0
// IntervalMeter: what moved in each whole 100 ms of a transfer, so that a stall of half the test does not hide
// in the average.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rdmaready {

inline constexpr std::int64_t kIntervalNs = 100'000'000;

class IntervalMeter {
 public:
  // Intervals are counted from `start_ns` (any clock that only goes forward).
  explicit IntervalMeter(std::int64_t start_ns) : end_ns_(start_ns + kIntervalNs) {}

  // `now_ns` never goes backwards from call to call.
  void Add(std::int64_t now_ns, std::uint64_t bytes) {
    CloseUntil(now_ns);
    bytes_ += bytes;
  }

  // Bytes of each interval that ended at or before `end_ns`, in order. The meter is used up.
  std::vector<std::uint64_t> Take(std::int64_t end_ns) {
    CloseUntil(end_ns);
    return std::move(closed_);
  }

 private:
  void CloseUntil(std::int64_t now_ns) {
    while (now_ns >= end_ns_) {
      closed_.push_back(std::exchange(bytes_, 0));
      end_ns_ += kIntervalNs;
    }
  }

  std::int64_t end_ns_;
  std::uint64_t bytes_ = 0;  // of the open interval
  std::vector<std::uint64_t> closed_{};
};

// Bytes per second in the worst of them; 0 when there is none.
inline std::uint64_t WorstBytesPerSecond(std::span<const std::uint64_t> interval_bytes) {
  if (interval_bytes.empty()) return 0;
  return *std::ranges::min_element(interval_bytes) * (1'000'000'000 / kIntervalNs);
}

// Adds another connection's intervals, which began at the same moment. Only those that both have are whole.
inline void AddIntervals(std::vector<std::uint64_t>& interval_bytes, std::span<const std::uint64_t> others) {
  interval_bytes.resize(std::min(interval_bytes.size(), others.size()));
  for (std::size_t i = 0; i < interval_bytes.size(); ++i) interval_bytes[i] += others[i];
}

}  // namespace rdmaready
