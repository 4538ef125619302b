// SPDX-License-Identifier: Apache-2.0
// IntervalMeter: the worst whole 100 ms of a transfer, so that a stall of half the test does not hide in the
// average.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace rdmaready {

class IntervalMeter {
 public:
  static constexpr std::int64_t kIntervalNs = 100'000'000;

  // Intervals are counted from `start_ns` (any clock that only goes forward).
  explicit IntervalMeter(std::int64_t start_ns) : end_ns_(start_ns + kIntervalNs) {}

  // `now_ns` never goes backwards from call to call.
  void Add(std::int64_t now_ns, std::uint64_t bytes) {
    CloseUntil(now_ns);
    bytes_ += bytes;
  }

  // Bytes per second in the worst interval that ended at or before `end_ns`; 0 when there was none.
  std::uint64_t WorstBytesPerSecond(std::int64_t end_ns) {
    CloseUntil(end_ns);
    return worst_ ? *worst_ * (1'000'000'000 / kIntervalNs) : 0;
  }

 private:
  void CloseUntil(std::int64_t now_ns) {
    while (now_ns >= end_ns_) {
      worst_ = std::min(worst_.value_or(bytes_), bytes_);
      bytes_ = 0;
      end_ns_ += kIntervalNs;
    }
  }

  std::int64_t end_ns_;
  std::uint64_t bytes_ = 0;  // of the open interval
  std::optional<std::uint64_t> worst_{};
};

}  // namespace rdmaready
