// SPDX-License-Identifier: Apache-2.0
// cnt.saturated, ib.symbol-errors, ib.link-recovery: what the port's error counters say by themselves.
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

std::string SaturatedNotApplicable(const PortView& view) {
  return NotOffered(ReadingOf(view.port).counters) ? "the device has no IBTA port counters" : "";
}

Verdict JudgeSaturated(const PortView& view) {
  constexpr std::string_view kExpected = "below its maximum";
  const auto [counters, source] = ReadingOf(view.port);
  if (!counters) return NoAnswer(counters.missing(), std::string(kExpected), source);
  std::string stuck;
  for (const Counter& counter : *counters) {
    const bool full = Difference(counter, counter, WidthOf(counter.name, CounterFamily::kPort)).kind ==
                      CounterChange::Kind::kSaturated;
    if (full) stuck += Cat(stuck.empty() ? "" : ", ", counter.name, " ", counter.value);
  }
  return Judged(stuck.empty(),
                stuck.empty() ? Cat(counters->size(), " counters, all below their maximum")
                              : Cat("at its maximum: ", stuck),
                std::string(kExpected), source);
}

std::string NotOnInfiniBand(const PortView& view) { return NotInfiniBand(view.port); }

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

Verdict JudgeSymbols(const PortView& view) {
  constexpr Threshold kRows[] = {{"symbol_error", 10}};
  return JudgeThresholds(view, kRows);
}

Verdict JudgeRecovery(const PortView& view) {
  constexpr Threshold kRows[] = {{"link_error_recovery", 10}, {"link_downed", 10}};
  return JudgeThresholds(view, kRows);
}

}  // namespace

Check CntSaturated() {
  return {.id = "cnt.saturated",
          .title = "The port's error counters can still count",
          .why = "A counter that stands at its maximum shows no further error: whatever it guards goes unseen",
          .fix =
              "perfquery -C {device} -P {port} -R  # resets them; on a NIC without management datagrams a "
              "reload of its driver does",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{SaturatedNotApplicable, JudgeSaturated}};
}

Check IbSymbolErrors() {
  return {
      .id = "ib.symbol-errors",
      .title = "The InfiniBand link has few symbol errors",
      .why = "Symbols that arrive damaged are a bad cable or transceiver, long before the link fails",
      .fix = "perfquery -C {device} -P {port} -R  # and look again in an hour: if they grow, replace the cable",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<PortView>{NotOnInfiniBand, JudgeSymbols}};
}

Check IbLinkRecovery() {
  return {
      .id = "ib.link-recovery",
      .title = "The InfiniBand link neither recovers nor goes down often",
      .why = "Each time the link recovers its traffic stops; each time it goes down connections break",
      .fix = "perfquery -C {device} -P {port} -R  # and look again in an hour: if they grow, replace the cable",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<PortView>{NotOnInfiniBand, JudgeRecovery}};
}

}  // namespace rdmaready
