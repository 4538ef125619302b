// SPDX-License-Identifier: Apache-2.0
// IntervalMeter: what moved in each whole 100 ms of a transfer, so that a stall of half the test does not hide
// in the average. A stress test may ask for shorter intervals (TransferOptions::interval_ms).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rdmaready {

inline constexpr std::uint32_t kIntervalMs = 100;
inline constexpr std::int64_t kNsOfMs = 1'000'000;

class IntervalMeter {
 public:
  // Intervals are counted from `start_ns` (any clock that only goes forward); `interval_ms` is at least 1.
  explicit IntervalMeter(std::int64_t start_ns, std::uint32_t interval_ms = kIntervalMs)
      : interval_ns_(interval_ms * kNsOfMs), end_ns_(start_ns + interval_ns_) {}

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
      end_ns_ += interval_ns_;
    }
  }

  const std::int64_t interval_ns_;
  std::int64_t end_ns_;
  std::uint64_t bytes_ = 0;  // of the open interval
  std::vector<std::uint64_t> closed_{};
};

// Bytes per second in the worst whole 100 ms; 0 for less than 100 ms, which are a multiple of `interval_ms`.
inline std::uint64_t WorstBytesPerSecond(std::span<const std::uint64_t> interval_bytes,
                                         std::uint32_t interval_ms = kIntervalMs) {
  const std::size_t together = kIntervalMs / interval_ms;
  std::optional<std::uint64_t> worst;
  for (std::size_t at = 0; at + together <= interval_bytes.size(); at += together) {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : interval_bytes.subspan(at, together)) sum += bytes;
    worst = std::min(worst.value_or(sum), sum);
  }
  return worst.value_or(0) * (1'000 / kIntervalMs);
}

// Adds another connection's intervals, which began at the same moment. Only those that both have are whole.
inline void AddIntervals(std::vector<std::uint64_t>& interval_bytes, std::span<const std::uint64_t> others) {
  interval_bytes.resize(std::min(interval_bytes.size(), others.size()));
  for (std::size_t i = 0; i < interval_bytes.size(); ++i) interval_bytes[i] += others[i];
}

}  // namespace rdmaready
