// SPDX-License-Identifier: Apache-2.0
// ib.rcv-errors, ib.xmit, ib.xmit-wait: the counters of an InfiniBand port's performance management agent, by
// themselves and over a watch. Where sysfs has none, they are those that were read by MAD.
#include <algorithm>
#include <span>

#include "checks/counted/window.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "InfiniBand port counters";

std::string NotInfiniBand(const PortView& view) {
  if (!view.port.transport || *view.port.transport == Transport::kUnknown) return {};
  return IsInfiniBand(view.port) ? "" : "not InfiniBand";
}

// Thresholds of rdma-core's infiniband-diags, etc/error_thresholds.
struct Threshold {
  std::string_view counter;
  std::uint64_t most;
};
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

// Since they were last reset nobody knows when: held against thresholds. Those that the port does not count are
// left out, unless it counts none.
Verdict JudgeReading(const Port& port, std::span<const Threshold> rows) {
  std::string expected;
  std::string observed;
  bool good = true;
  const Fact<std::vector<Counter>>& counters = CountersOf(port);
  for (const Threshold& row : rows)
    expected += Cat(expected.empty() ? "" : ", ", row.counter, " at most ", row.most);
  if (!counters) return NoAnswer(counters.missing(), expected, kSource);
  for (const Threshold& row : rows) {
    const auto found = std::ranges::find(*counters, row.counter, &Counter::name);
    if (found == counters->end()) continue;
    observed += Cat(observed.empty() ? "" : ", ", found->name, " ", found->value);
    good = good && found->value <= row.most;
  }
  if (observed.empty())
    return NoAnswer({Missing::Kind::kUnsupported, "the port counts none of them"}, expected, kSource);
  return Judged(good, observed, expected, kSource);
}

// A watch tells what goes on now.
Verdict JudgeCounts(const PortView& view, std::span<const Threshold> rows) {
  if (!NotWatched(view.port).empty()) return JudgeReading(view.port, rows);
  const Fact<std::vector<CounterChange>> all = PmaChanges(view.port);
  if (!all) return NoAnswer(all.missing(), "no growth", kSource);
  const std::vector<CounterChange> changes = Of(*all, rows);
  if (changes.empty())
    return NoAnswer({Missing::Kind::kUnsupported, "the port counts none of them"}, "no growth", kSource);
  const std::string grown = GrownText(changes);
  return Judged(grown.empty(), Cat(grown.empty() ? "no growth" : grown, InWindow(view.port)), "no growth",
                kSource);
}

Verdict JudgeReceive(const PortView& view) { return JudgeCounts(view, kReceive); }

Verdict JudgeTransmit(const PortView& view) { return JudgeCounts(view, kTransmit); }

std::string WaitNotApplicable(const PortView& view) {
  if (std::string reason = NotInfiniBand(view); !reason.empty()) return reason;
  return NotWatched(view.port);
}

// A tick is the time in which the port could have sent four bytes.
Verdict JudgeWait(const PortView& view) {
  constexpr std::uint64_t kMostTicks = 1000;
  constexpr std::string_view kExpected = "at most 1000 ticks a second";
  const Fact<std::vector<CounterChange>> all = PmaChanges(view.port);
  if (!all) return NoAnswer(all.missing(), std::string(kExpected), kSource);
  const auto found = std::ranges::find(*all, "port_xmit_wait", &CounterChange::name);
  if (found == all->end()) {
    return NoAnswer({Missing::Kind::kUnsupported, "the port does not count port_xmit_wait"},
                    std::string(kExpected), kSource);
  }
  const std::uint64_t ticks = GrowthOf(*found);
  return Judged(ticks <= kMostTicks * WindowMs(view.port) / 1000,
                Cat("waited ", ticks, " ticks for credits", InWindow(view.port)), std::string(kExpected),
                kSource);
}

}  // namespace

Check IbRcvErrors() {
  return {
      .id = "ib.rcv-errors",
      .title = "The InfiniBand port receives few damaged packets",
      .why = "Damaged packets are a bad cable or transceiver here, or at a link before it",
      .fix = "perfquery -C {device} -P {port} -R  # and look again in an hour: if they grow, replace the cable",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<PortView>{NotInfiniBand, JudgeReceive}};
}

Check IbXmit() {
  return {.id = "ib.xmit",
          .title = "The InfiniBand port drops few packets",
          .why = "It drops what it could not send in time, or what its partition may not send",
          .fix =
              "perfquery -C {device} -P {port} -R  # and look again in an hour: if they grow, look for "
              "congestion and for P_Keys",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{NotInfiniBand, JudgeTransmit}};
}

Check IbXmitWait() {
  return {.id = "ib.xmit-wait",
          .title = "The InfiniBand port seldom waits for leave to send",
          .why = "A port that waits has no credits: somebody behind it takes its traffic too slowly",
          .fix =
              "ibqueryerrors --details  # needs infiniband-diags: the port whose peer does not take its "
              "traffic",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{WaitNotApplicable, JudgeWait}};
}

}  // namespace rdmaready
