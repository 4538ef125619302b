// SPDX-License-Identifier: Apache-2.0
// The error counters of the port that a live test goes through, read before and after it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "api/model/counter_change.h"
#include "collectors/host_reader.h"
#include "collectors/rdma/counters.h"

namespace rdmaready {

struct CounterReading {
  HwCounters hw{};
  Fact<std::vector<Counter>> pma{};
  std::chrono::steady_clock::time_point when{};
};

// `device` as the port's facts call it.
CounterReading ReadCounters(HostReader& host, const std::string& device, std::uint32_t port);

// Missing when the port has neither kind, when one could not be read, and when the driver may have answered
// both times with the same reading. Errors of the last moment may be missing too: the kernel may answer with
// what somebody else was told less than a lifespan (mostly 10 ms) ago.
CounterChanges ErrorsBetween(const CounterReading& before, const CounterReading& after);

}  // namespace rdmaready
