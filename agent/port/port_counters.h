// SPDX-License-Identifier: Apache-2.0
// The error counters of the port that a live test goes through, read before and after it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/base/clock.h"
#include "api/model/counter_change.h"
#include "collectors/host_reader.h"
#include "collectors/rdma/counters.h"

namespace rdmaready {

struct CounterReading {
  HwCounters hw{};
  Fact<std::vector<Counter>> pma{};
  Clock::TimePoint when{};
};

// `device` as the port's facts call it.
CounterReading ReadCounters(HostReader& host, const std::string& device, std::uint32_t port, Clock& clock);

// Missing when the port has neither kind, when one could not be read, and when the driver may have answered
// both times with the same reading. Errors of the last moment may be missing too: the kernel may answer with
// what somebody else was told less than a lifespan (mostly 10 ms) ago.
CounterChanges ErrorsBetween(const CounterReading& before, const CounterReading& after);

// What the port moved both ways, in a unit of its driver's: bytes, words or packets. Nothing where it counts
// none.
std::optional<std::uint64_t> MovedUntil(const CounterReading& reading);

// Of all that moved from `before` to `after`, the thousandths that others move at the rate from `idle` to
// `before`, when no test ran here. Nothing where that is not counted, or a counter was set back.
std::optional<std::uint32_t> ForeignPermille(const CounterReading& idle, const CounterReading& before,
                                             const CounterReading& after);

}  // namespace rdmaready
