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

// Traffic both ways, in a unit of the driver's.
struct Moved {
  std::uint64_t count = 0;
  std::uint32_t unit_bytes = 1;  // on the wire, at most: 1, 4 (words of the PMA) or a packet

  bool operator==(const Moved&) const = default;
};

// The largest packet: an MTU of 4096 and the headers of RoCE on IPv6 with a VLAN tag.
inline constexpr std::uint32_t kMostPacketBytes = 4096 + 110;

// All that the port moved until the reading. Nothing where its driver does not count that.
std::optional<Moved> MovedUntil(const CounterReading& reading);

// Of all that moved from `before` to `after`, the thousandths that others move at the rate from `idle` to
// `before`, when no test ran here. Nothing where that is not counted, or a counter was set back.
std::optional<std::uint32_t> ForeignPermille(const CounterReading& idle, const CounterReading& before,
                                             const CounterReading& after);

}  // namespace rdmaready
