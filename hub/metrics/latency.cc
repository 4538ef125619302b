// SPDX-License-Identifier: Apache-2.0
#include "hub/metrics/latency.h"

#include <algorithm>

namespace rdmaready::hub {

void LatencyBook::Add(std::chrono::nanoseconds took) {
  const double seconds = std::chrono::duration<double>(took).count();
  const auto place =
      static_cast<std::size_t>(std::ranges::lower_bound(kLatencyBounds, seconds) - kLatencyBounds.begin());
  const std::lock_guard lock(mutex_);
  ++now_.counts[place];
  now_.sum_s += seconds;
}

Latencies LatencyBook::Now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

}  // namespace rdmaready::hub
