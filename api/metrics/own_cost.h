// SPDX-License-Identifier: Apache-2.0
// What this process costs its host, as the kernel counts it. Asks /proc/self and getrusage only.
#pragma once

#include <cstdint>

#include "api/metrics/families.h"

namespace rdmaready::metrics {

struct OwnCost {
  double cpu_s = 0;  // of all threads, in the kernel too
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_fds = 0;  // 0: not known
  std::uint64_t most_fds = 0;
};

OwnCost ReadOwnCost();

// As every process tells it: process_cpu_seconds_total and others.
void AddCost(const OwnCost& cost, double started_unix_s, Families& all);

}  // namespace rdmaready::metrics
