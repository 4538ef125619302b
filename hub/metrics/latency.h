// SPDX-License-Identifier: Apache-2.0
// LatencyBook: how long something took, counted by bounds. Threads: any thread may call.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace rdmaready::hub {

// Seconds.
inline constexpr std::array<double, 11> kLatencyBounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                       0.1,   0.25,   0.5,   1,    2.5};

struct Latencies {
  std::array<std::uint64_t, kLatencyBounds.size() + 1> counts{};  // the last: longer than every bound
  double sum_s = 0;
};

class LatencyBook {
 public:
  void Add(std::chrono::nanoseconds took);
  Latencies Now() const;

 private:
  mutable std::mutex mutex_;
  Latencies now_{};
};

}  // namespace rdmaready::hub
