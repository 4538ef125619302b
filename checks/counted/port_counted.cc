// SPDX-License-Identifier: Apache-2.0
// cnt.saturated, ib.*: the error counters of a port, and those that only InfiniBand has.
#include <algorithm>
#include <optional>
#include <span>

#include "checks/counted/counters.h"
#include "checks/counted/window.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// The counters of the port, and who told them.
struct Reading {
  Fact<std::vector<Counter>> counters{};
  std::string_view source{};
};

// Those of sysfs, and those that only the performance agent itself tells. Where sysfs has none, the agent's.
Reading ReadingOf(const Port& port) {
  constexpr std::string_view kSysfs = "sysfs port counters";
  constexpr std::string_view kAgent = "PMA (management datagram)";
  const Fact<std::vector<Counter>>& agent = port.ib.pma_counters;
  if (!port.port_counters) {
    const bool only_agent = agent || (NotOffered(port.port_counters) && !NotOffered(agent));
    return IsInfiniBand(port) && only_agent ? Reading{agent, kAgent} : Reading{port.port_counters, kSysfs};
  }
  if (!agent) return {port.port_counters, kSysfs};
  std::vector<Counter> all = *port.port_counters;
  for (const Counter& counter : *agent) {
    if (std::ranges::find(*port.port_counters, counter.name, &Counter::name) == port.port_counters->end())
      all.push_back(counter);
  }
  return {all, all.size() == port.port_counters->size() ? kSysfs : "sysfs port counters, PMA"};
}

// What goes on as it should and fills its 32 bits in seconds: data, packets, the time of waiting for credits.
bool CountsNoErrors(std::string_view name) {
  return name == "port_xmit_wait" || name.ends_with("_data") || name.ends_with("_packets");
}

Verdict JudgeCntSaturated(const PortView& view) {
  if (NotOffered(ReadingOf(view.port).counters)) return NotApplicable("the device has no IBTA port counters");
  constexpr std::string_view kExpected = "below its maximum";
  const auto [counters, source] = ReadingOf(view.port);
  if (!counters) return NoAnswer(counters.missing(), kExpected, source);
  std::string stuck;
  for (const Counter& counter : *counters) {
    if (CountsNoErrors(counter.name)) continue;
    const bool full = Difference(counter, counter, WidthOf(counter.name, CounterFamily::kPort)).kind ==
                      CounterChange::Kind::kSaturated;
    if (full) stuck += Cat(stuck.empty() ? "" : ", ", counter.name, " ", counter.value);
  }
  return Judged(stuck.empty(),
                stuck.empty() ? Cat(counters->size(), " counters, all below their maximum")
                              : Cat("at its maximum: ", stuck),
                kExpected, source);
}

// Thresholds of rdma-core's infiniband-diags, etc/error_thresholds.
struct Threshold {
  std::string_view counter;
  std::uint64_t most;
};

// What grew in the watch; nothing where nobody watched, or where none of them was counted then.
std::optional<std::string> GrownInWatch(const Port& port, std::span<const Threshold> thresholds) {
  const Fact<std::vector<CounterChange>> all = PmaChanges(port);
  if (!all) return std::nullopt;
  std::vector<CounterChange> changes = *all;
  std::erase_if(changes, [&thresholds](const CounterChange& change) {
    return std::ranges::find(thresholds, change.name, &Threshold::counter) == thresholds.end();
  });
  return changes.empty() ? std::nullopt : std::optional(GrownText(changes));
}

// All of them must be known. Since when they count nobody knows, so a watch says more than they do.
Verdict JudgeThresholds(const PortView& view, std::span<const Threshold> thresholds) {
  const auto [counters, source] = ReadingOf(view.port);
  if (const std::optional<std::string> grown = GrownInWatch(view.port, thresholds)) {
    return Judged(grown->empty(), Cat(grown->empty() ? "no growth" : *grown, InWindow(view.port)), "no growth",
                  source);
  }
  std::string expected;
  for (const Threshold& threshold : thresholds)
    expected += Cat(expected.empty() ? "" : ", ", threshold.counter, " at most ", threshold.most);
  if (!counters) return NoAnswer(counters.missing(), expected, source);
  std::string observed;
  bool good = true;
  for (const Threshold& threshold : thresholds) {
    const auto found = std::ranges::find(*counters, threshold.counter, &Counter::name);
    if (found == counters->end()) {
      return NoAnswer({.kind = Missing::Kind::kUnsupported, .detail = Cat("no counter ", threshold.counter)},
                      expected, source);
    }
    observed += Cat(observed.empty() ? "" : ", ", found->name, " ", found->value);
    good = good && found->value <= threshold.most;
  }
  return Judged(good, observed, expected, source);
}

Verdict JudgeIbSymbolErrors(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return NotApplicable(reason);
  constexpr Threshold kRows[] = {{"symbol_error", 10}};
  return JudgeThresholds(view, kRows);
}

Verdict JudgeIbLinkRecovery(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return NotApplicable(reason);
  constexpr Threshold kRows[] = {{"link_error_recovery", 10}, {"link_downed", 10}};
  return JudgeThresholds(view, kRows);
}

constexpr std::string_view kPmaSource = "InfiniBand port counters";

// Thresholds of rdma-core's infiniband-diags, etc/error_thresholds.
struct PmaThreshold {
  std::string_view counter;
  std::uint64_t most;
};
constexpr PmaThreshold kReceive[] = {{"port_rcv_errors", 10},
                                     {"port_rcv_remote_physical_errors", 100},
                                     {"local_link_integrity_errors", 10},
                                     {"excessive_buffer_overrun_errors", 10}};
constexpr PmaThreshold kTransmit[] = {
    {"port_xmit_discards", 100}, {"port_xmit_constraint_errors", 100}, {"VL15_dropped", 100}};

const Fact<std::vector<Counter>>& CountersOf(const Port& port) {
  return port.port_counters || !port.ib.pma_counters ? port.port_counters : port.ib.pma_counters;
}

std::vector<CounterChange> Of(const std::vector<CounterChange>& changes, std::span<const PmaThreshold> rows) {
  std::vector<CounterChange> of = changes;
  std::erase_if(of, [&rows](const CounterChange& change) {
    return std::ranges::find(rows, change.name, &PmaThreshold::counter) == rows.end();
  });
  return of;
}

// Since they were last reset nobody knows when: compared with thresholds. Those that the port does not count
// are left out, unless it counts none.
Verdict JudgeReading(const Port& port, std::span<const PmaThreshold> rows) {
  std::string expected;
  std::string observed;
  bool good = true;
  const Fact<std::vector<Counter>>& counters = CountersOf(port);
  for (const PmaThreshold& row : rows)
    expected += Cat(expected.empty() ? "" : ", ", row.counter, " at most ", row.most);
  if (!counters) return NoAnswer(counters.missing(), expected, kPmaSource);
  for (const PmaThreshold& row : rows) {
    const auto found = std::ranges::find(*counters, row.counter, &Counter::name);
    if (found == counters->end()) continue;
    observed += Cat(observed.empty() ? "" : ", ", found->name, " ", found->value);
    good = good && found->value <= row.most;
  }
  if (observed.empty())
    return NoAnswer({Missing::Kind::kUnsupported, "the port counts none of them"}, expected, kPmaSource);
  return Judged(good, observed, expected, kPmaSource);
}

// A watch tells what goes on now.
Verdict JudgeCounts(const PortView& view, std::span<const PmaThreshold> rows) {
  if (!NotWatched(view.port).empty()) return JudgeReading(view.port, rows);
  const Fact<std::vector<CounterChange>> all = PmaChanges(view.port);
  if (!all) return NoAnswer(all.missing(), "no growth", kPmaSource);
  const std::vector<CounterChange> changes = Of(*all, rows);
  if (changes.empty())
    return NoAnswer({Missing::Kind::kUnsupported, "the port counts none of them"}, "no growth", kPmaSource);
  const std::string grown = GrownText(changes);
  return Judged(grown.empty(), Cat(grown.empty() ? "no growth" : grown, InWindow(view.port)), "no growth",
                kPmaSource);
}

Verdict JudgeIbRcvErrors(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return NotApplicable(reason);
  return JudgeCounts(view, kReceive);
}

Verdict JudgeIbXmit(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return NotApplicable(reason);
  return JudgeCounts(view, kTransmit);
}

// A tick is the time in which the port could have sent four bytes.
Verdict JudgeIbXmitWait(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return NotApplicable(reason);
  if (std::string reason = NotWatched(view.port); !reason.empty()) return NotApplicable(reason);
  constexpr std::uint64_t kMostPercent = 5;  // by experience; no standard has a number
  constexpr std::string_view kExpected = "at most 5 % of the time";
  const Fact<std::vector<CounterChange>> all = PmaChanges(view.port);
  if (!all) return NoAnswer(all.missing(), kExpected, kPmaSource);
  const auto found = std::ranges::find(*all, "port_xmit_wait", &CounterChange::name);
  if (found == all->end()) {
    return NoAnswer({Missing::Kind::kUnsupported, "the port does not count port_xmit_wait"}, kExpected,
                    kPmaSource);
  }
  const std::uint64_t ticks = GrowthOf(*found);
  if (!view.port.rate_mbps) return NoAnswer(view.port.rate_mbps.missing(), kExpected, kPmaSource);
  // A tick is the time of four bytes (InfiniBand Architecture, PortXmitWait).
  constexpr std::uint64_t kBitsATick = 32;
  constexpr std::uint64_t kBitsPerMbpsAndMs = 1000;
  const std::uint64_t window_bits = *view.port.rate_mbps * kBitsPerMbpsAndMs * WindowMs(view.port);
  if (window_bits == 0) return Unclear("the port has no rate", kExpected, kPmaSource);
  const std::uint64_t percent = ticks * kBitsATick * 100 / window_bits;
  // Full in seconds at these rates: what came after it is not known.
  if (found->kind == CounterChange::Kind::kSaturated && percent <= kMostPercent)
    return Unclear("port_xmit_wait stands at its maximum, and counts no longer", kExpected, kPmaSource);
  return Judged(percent <= kMostPercent,
                Cat("waited for credits ", percent, " % of the time (", ticks, " ticks)", InWindow(view.port)),
                kExpected, kPmaSource);
}

}  // namespace

std::vector<Check> PortCountedChecks() {
  return {
      {.id = "cnt.saturated",
       .title = "The port's error counters can still count",
       .why = "A counter that stands at its maximum shows no further error: whatever it guards goes unseen",
       .fix = "perfquery -C {device} -P {port} -R  # resets them; on a NIC without management datagrams a "
              "reload of its driver does",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeCntSaturated},
      {.id = "ib.symbol-errors",
       .title = "The InfiniBand link has few symbol errors",
       .why = "Symbols that arrive damaged are a bad cable or transceiver, long before the link fails",
       .fix =
           "perfquery -C {device} -P {port} -R  # and look again in an hour: if they grow, replace the cable",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbSymbolErrors},
      {.id = "ib.link-recovery",
       .title = "The InfiniBand link neither recovers nor goes down often",
       .why = "Each time the link recovers its traffic stops; each time it goes down connections break",
       .fix =
           "perfquery -C {device} -P {port} -R  # and look again in an hour: if they grow, replace the cable",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbLinkRecovery},
      {.id = "ib.rcv-errors",
       .title = "The InfiniBand port receives few damaged packets",
       .why = "Damaged packets are a bad cable or transceiver here, or at a link before it",
       .fix =
           "perfquery -C {device} -P {port} -R  # and look again in an hour: if they grow, replace the cable",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbRcvErrors},
      {.id = "ib.xmit",
       .title = "The InfiniBand port drops few packets",
       .why = "It drops what it could not send in time, or what its partition may not send",
       .fix = "perfquery -C {device} -P {port} -R  # and look again in an hour: if they grow, look for "
              "congestion and for P_Keys",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbXmit},
      {.id = "ib.xmit-wait",
       .title = "The InfiniBand port seldom waits for leave to send",
       .why = "A port that waits has no credits: somebody behind it takes its traffic too slowly",
       .fix = "ibqueryerrors --details  # needs infiniband-diags: the port whose peer does not take its "
              "traffic",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbXmitWait},
  };
}

}  // namespace rdmaready
