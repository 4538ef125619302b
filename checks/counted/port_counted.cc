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

bool IsFull(const Counter& counter) {
  return Difference(counter, counter, WidthOf(counter.name, CounterFamily::kPort)).kind ==
         CounterChange::Kind::kSaturated;
}

Verdict JudgeCntSaturated(const PortView& view) {
  if (NotOffered(ReadingOf(view.port).counters)) return NotApplicable("the device has no IBTA port counters");
  constexpr std::string_view kExpected = "below its maximum";
  const auto [counters, source] = ReadingOf(view.port);
  if (!counters) return NoAnswer(counters.missing(), kExpected, source);
  std::string stuck;
  for (const Counter& counter : *counters) {
    if (CountsNoErrors(counter.name)) continue;
    if (IsFull(counter)) stuck += Cat(stuck.empty() ? "" : ", ", counter.name, " ", counter.value);
  }
  return Judged(stuck.empty(),
                stuck.empty() ? Cat(counters->size(), " counters, all below their maximum")
                              : Cat("at its maximum: ", stuck, "; since when is not known"),
                kExpected, source);
}

// Thresholds of rdma-core's infiniband-diags, etc/error_thresholds.
struct Threshold {
  std::string_view counter;
  std::uint64_t most;
};

const Counter* Find(const std::vector<Counter>& counters, std::string_view name) {
  const auto found = std::ranges::find(counters, name, &Counter::name);
  return found == counters.end() ? nullptr : &*found;
}

std::string ExpectedText(std::span<const Threshold> thresholds) {
  std::string expected;
  for (const Threshold& threshold : thresholds)
    expected += Cat(expected.empty() ? "" : ", ", threshold.counter, " at most ", threshold.most, " a day");
  return expected;
}

std::string SinceText(std::uint64_t uptime_s) {
  constexpr std::uint64_t kDayS = 86'400;
  return uptime_s >= 2 * kDayS ? Cat(" in ", uptime_s / kDayS, " days at most")
                               : Cat(" in ", CountText(uptime_s / 3600, "hour"), " at most");
}

Fix CableFix() {
  return Fix("perfquery -C {device} -P {port}")
      .Because("a bad cable, a dirty connector or a bad transceiver")
      .Run("perfquery -C {device} -P {port} -R")
      .Do("look again in an hour: where they grow, reseat the cable at both ends, then replace it",
          StepSite::kPort)
      .CheckBy("perfquery -C {device} -P {port}");
}

// The same count means a fault after a day and little after a year: counts are compared by the day since boot.
// A counter that is full has lost the rest: it counted at least that. Where that alone is not too much, how
// much it was is not known, and cnt.saturated says so.
Verdict JudgeSinceBoot(const Facts& host, const std::vector<Counter>& counters,
                       std::span<const Threshold> thresholds, std::string_view source) {
  constexpr std::uint64_t kDayS = 86'400;
  std::string observed;
  std::string full;
  bool many = false;
  bool most = false;
  for (const Threshold& threshold : thresholds) {
    const Counter* counter = Find(counters, threshold.counter);
    if (counter == nullptr) continue;
    observed += Cat(observed.empty() ? "" : ", ", counter->name, " ", counter->value);
    if (counter->value <= threshold.most) continue;
    many = true;
    most = most || (host.uptime_s && counter->value * kDayS > threshold.most * *host.uptime_s);
    if (IsFull(*counter)) full = Cat(counter->name, " is full");
  }
  const std::string expected = ExpectedText(thresholds);
  if (!many) return Judged(true, observed, expected, source);
  if (!host.uptime_s) return NoAnswer(host.uptime_s.missing(), expected, source);
  if (!most && !full.empty()) return NotApplicable(Cat(observed, ": ", full, ", see cnt.saturated"));
  if (!full.empty()) full = Cat("; ", full, ", so there were more");
  return Judged(!most, Cat(observed, SinceText(*host.uptime_s), full), expected, source, CableFix());
}

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
                  source, CableFix());
  }
  const std::string expected = ExpectedText(thresholds);
  if (!counters) return NoAnswer(counters.missing(), expected, source);
  for (const Threshold& threshold : thresholds) {
    if (Find(*counters, threshold.counter) != nullptr) continue;
    return NoAnswer({.kind = Missing::Kind::kUnsupported, .detail = Cat("no counter ", threshold.counter)},
                    expected, source);
  }
  return JudgeSinceBoot(view.host, *counters, thresholds, source);
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

constexpr Threshold kReceive[] = {{"port_rcv_errors", 10},
                                  {"port_rcv_remote_physical_errors", 100},
                                  {"local_link_integrity_errors", 10},
                                  {"excessive_buffer_overrun_errors", 10}};
constexpr Threshold kTransmit[] = {
    {"port_xmit_discards", 100}, {"port_xmit_constraint_errors", 100}, {"VL15_dropped", 100}};

const Fact<std::vector<Counter>>& CountersOf(const Port& port) {
  return port.port_counters || !port.ib.pma_counters ? port.port_counters : port.ib.pma_counters;
}

std::vector<CounterChange> Of(const std::vector<CounterChange>& changes, std::span<const Threshold> rows) {
  std::vector<CounterChange> of = changes;
  std::erase_if(of, [&rows](const CounterChange& change) {
    return std::ranges::find(rows, change.name, &Threshold::counter) == rows.end();
  });
  return of;
}

// Those that the port does not count are left out, unless it counts none.
Verdict JudgeReading(const PortView& view, std::span<const Threshold> rows) {
  const Fact<std::vector<Counter>>& counters = CountersOf(view.port);
  const std::string expected = ExpectedText(rows);
  if (!counters) return NoAnswer(counters.missing(), expected, kPmaSource);
  const bool any = std::ranges::any_of(
      rows, [&counters](const Threshold& row) { return Find(*counters, row.counter) != nullptr; });
  if (!any)
    return NoAnswer({Missing::Kind::kUnsupported, "the port counts none of them"}, expected, kPmaSource);
  return JudgeSinceBoot(view.host, *counters, rows, kPmaSource);
}

// A watch tells what goes on now.
Verdict JudgeCounts(const PortView& view, std::span<const Threshold> rows) {
  if (!NotWatched(view.port).empty()) return JudgeReading(view, rows);
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
       .fix = Fix("perfquery -C {device} -P {port} -R")
                  .Because("the counters were never reset, and counted to their end", Certainty::kCertain)
                  .Caution("it says nothing of today: errors of years ago fill a counter of 4, 8 or 16 bits")
                  .Do("look again in a day: what is above 0 then is of today")
                  .Or("read what it counted on in 64 bits: perfquery -x -C {device} -P {port}, where the port "
                      "has it")
                  .Or("reload the driver, on a NIC without management datagrams: its connections end")
                  .CheckBy("perfquery -C {device} -P {port}"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeCntSaturated},
      {.id = "ib.symbol-errors",
       .title = "The InfiniBand link has few symbol errors",
       .why = "Symbols that arrive damaged are a bad cable or transceiver, long before the link fails",
       .fix = CableFix(),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbSymbolErrors},
      {.id = "ib.link-recovery",
       .title = "The InfiniBand link neither recovers nor goes down often",
       .why = "Each time the link recovers its traffic stops; each time it goes down connections break",
       .fix = CableFix(),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbLinkRecovery},
      {.id = "ib.rcv-errors",
       .title = "The InfiniBand port receives few damaged packets",
       .why = "Damaged packets are a bad cable or transceiver here, or at a link before it",
       .fix = CableFix(),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbRcvErrors},
      {.id = "ib.xmit",
       .title = "The InfiniBand port drops few packets",
       .why = "It drops what it could not send in time, or what its partition may not send",
       .fix = Fix("perfquery -C {device} -P {port}")
                  .Because("congestion on the way, or packets of a partition that the port may not use")
                  .Run("perfquery -C {device} -P {port} -R")
                  .Do("look again in an hour: where they grow, look for congestion and for P_Keys",
                      StepSite::kSwitch)
                  .CheckBy("perfquery -C {device} -P {port}"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbXmit},
      {.id = "ib.xmit-wait",
       .title = "The InfiniBand port seldom waits for leave to send",
       .why = "A port that waits has no credits: somebody behind it takes its traffic too slowly",
       .fix = Fix("ibqueryerrors --details")
                  .Because("a receiver behind this port takes its traffic too slowly")
                  .Do("find the port that waits most: its peer is the slow one", StepSite::kSwitch)
                  .CheckBy("perfquery -x -C {device} -P {port}"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbXmitWait},
  };
}

}  // namespace rdmaready
