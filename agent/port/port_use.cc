// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_use.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace rdmaready {
namespace {

// In bytes, words or packets a second, whichever the driver counts: what keeps neighbours and connections alive
// is less.
constexpr double kQuietPerSecond = 1000;

std::string OpenedBy(const Port& port) {
  if (!port.resources) return "who has the device open is not known: " + port.resources.missing().detail;
  const RdmaResources& used = *port.resources;
  if (used.ctx > 0) return fmt::format("in use: {} times opened by processes (rdma resource show)", used.ctx);
  const std::uint64_t listen = port.listeners ? port.listeners->size() : 0;
  if (used.cm_id > listen)
    return fmt::format("in use: {} connections (rdma resource show cm_id)", used.cm_id - listen);
  return {};
}

}  // namespace

std::string UseOf(const Port& port, const CounterReading& before, const CounterReading& after) {
  if (std::string opened = OpenedBy(port); !opened.empty()) return opened;
  const std::optional<std::uint64_t> first = MovedUntil(before);
  const std::optional<std::uint64_t> second = MovedUntil(after);
  const double seconds = std::chrono::duration<double>(after.when - before.when).count();
  if (!first || !second || *second < *first || seconds <= 0)
    return "whether others use it is not known: its driver does not count what it moves";
  const double rate = static_cast<double>(*second - *first) / seconds;
  if (rate <= kQuietPerSecond) return {};
  return fmt::format("in use: its counters grew by {} in {:.1f} s", *second - *first, seconds);
}

}  // namespace rdmaready
