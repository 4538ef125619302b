// SPDX-License-Identifier: Apache-2.0
#include "agent/port_counters.h"

#include <optional>
#include <vector>

#include "checks/counted/error_counters.h"

namespace rdmaready {
namespace {

using Reading = Fact<std::vector<Counter>>;

// Why the two say nothing; nothing when they can be compared, or when the driver does not have them at all.
std::optional<Missing> Gap(const Reading& before, const Reading& after) {
  for (const Reading* reading : {&before, &after}) {
    if (!*reading && reading->missing().kind != Missing::Kind::kUnsupported) return reading->missing();
  }
  if (before.operator bool() == after.operator bool()) return std::nullopt;
  return Missing{Missing::Kind::kFailed, "the port's counters came or went during the test"};
}

void Add(const Reading& before, const Reading& after, CounterFamily family, std::vector<CounterChange>& to) {
  if (!before || !after) return;
  for (CounterChange& change : ErrorChanges(*before, *after, family)) to.push_back(std::move(change));
}

}  // namespace

CounterReading ReadCounters(HostReader& host, const std::string& device, std::uint32_t port) {
  const RdmaDevice named{.name = device};
  return {.hw = ReadHwCounters(host, named, port),
          .pma = ReadPortCounters(host, named, port),
          .when = std::chrono::steady_clock::now()};
}

CounterChanges ErrorsBetween(const CounterReading& before, const CounterReading& after) {
  if (const auto gap = Gap(before.hw.counters, after.hw.counters)) return *gap;
  if (const auto gap = Gap(before.pma, after.pma)) return *gap;
  if (!after.hw.counters && !after.pma) return after.hw.counters.missing();
  if (after.hw.lifespan_ms && after.when - before.when < std::chrono::milliseconds(*after.hw.lifespan_ms)) {
    return Missing{Missing::Kind::kFailed, "the test was shorter than the driver keeps a reading"};
  }
  std::vector<CounterChange> changes;
  Add(before.hw.counters, after.hw.counters, CounterFamily::kHardware, changes);
  Add(before.pma, after.pma, CounterFamily::kPort, changes);
  return changes;
}

}  // namespace rdmaready
