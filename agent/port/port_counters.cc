// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_counters.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
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

std::optional<std::uint64_t> SumOf(const Fact<std::vector<Counter>>& counters,
                                   std::initializer_list<std::string_view> names) {
  if (!counters) return std::nullopt;
  std::uint64_t sum = 0;
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(*counters, name, &Counter::name);
    if (found == counters->end()) return std::nullopt;
    sum += found->value;
  }
  return sum;
}

}  // namespace

CounterReading ReadCounters(HostReader& host, const std::string& device, std::uint32_t port, Clock& clock) {
  const RdmaDevice named{.name = device};
  return {
      .hw = ReadHwCounters(host, named, port), .pma = ReadPortCounters(host, named, port), .when = clock.Now()};
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

std::optional<Moved> MovedUntil(const CounterReading& reading) {
  if (const auto words = SumOf(reading.pma, {"port_xmit_data", "port_rcv_data"})) return Moved{*words, 4};
  // Bytes of bnxt_re and efa, and of erdma; octets of irdma by IPv4 and IPv6; packets of rxe.
  for (const auto& [sent, received] :
       {std::pair{"tx_bytes", "rx_bytes"}, std::pair{"tx_bytes_cnt", "rx_bytes_cnt"}}) {
    if (const auto bytes = SumOf(reading.hw.counters, {sent, received})) return Moved{*bytes, 1};
  }
  if (const auto octets =
          SumOf(reading.hw.counters, {"ip4OutOctets", "ip4InOctets", "ip6OutOctets", "ip6InOctets"}))
    return Moved{*octets, 1};
  for (const auto& [sent, received] : {std::pair{"sent_pkts", "rcvd_pkts"}, std::pair{"tx_pkts", "rx_pkts"}}) {
    if (const auto packets = SumOf(reading.hw.counters, {sent, received}))
      return Moved{*packets, kMostPacketBytes};
  }
  return std::nullopt;
}

std::optional<std::uint32_t> ForeignPermille(const CounterReading& idle, const CounterReading& before,
                                             const CounterReading& after) {
  constexpr std::uint64_t kWhole = 1000;
  const std::optional<Moved> first = MovedUntil(idle);
  const std::optional<Moved> second = MovedUntil(before);
  const std::optional<Moved> third = MovedUntil(after);
  if (!first || !second || !third || second->count < first->count || third->count < second->count)
    return std::nullopt;
  const double idle_s = std::chrono::duration<double>(before.when - idle.when).count();
  const double test_s = std::chrono::duration<double>(after.when - before.when).count();
  if (idle_s <= 0 || test_s <= 0) return std::nullopt;
  if (second->count == first->count) return 0;
  if (third->count == second->count) return static_cast<std::uint32_t>(kWhole);
  const double others = static_cast<double>(second->count - first->count) / idle_s * test_s;
  const double share = others / static_cast<double>(third->count - second->count);
  return static_cast<std::uint32_t>(std::min(1.0, share) * static_cast<double>(kWhole));
}

}  // namespace rdmaready
