// SPDX-License-Identifier: Apache-2.0
// cnt.*, ib.*: what the port's error counters say by themselves, in one reading.
#include <algorithm>
#include <limits>

#include "checks/counters.h"
#include "checks/families.h"
#include "checks/verdicts.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "sysfs port counters";

std::string SaturatedNotApplicable(const PortView& view) {
  return NotOffered(view.port.port_counters) ? "the device has no IBTA port counters" : "";
}

Verdict JudgeSaturated(const PortView& view) {
  constexpr std::string_view kExpected = "below its maximum";
  const Fact<std::vector<Counter>>& counters = view.port.port_counters;
  if (!counters) return NoAnswer(counters.missing(), std::string(kExpected), kSource);
  std::string stuck;
  for (const Counter& counter : *counters) {
    const bool full = Difference(counter, counter, WidthOf(counter.name, CounterFamily::kPort)).kind ==
                      CounterChange::Kind::kSaturated;
    if (full) stuck += Cat(stuck.empty() ? "" : ", ", counter.name, " ", counter.value);
  }
  return Judged(stuck.empty(),
                stuck.empty() ? Cat(counters->size(), " counters, all below their maximum")
                              : Cat("at its maximum: ", stuck),
                std::string(kExpected), kSource);
}

std::string NotInfiniBand(const PortView& view) {
  if (!view.port.transport || *view.port.transport == Transport::kUnknown) return {};
  return IsInfiniBand(view.port) ? "" : "not InfiniBand";
}

// Thresholds of rdma-core's infiniband-diags, etc/error_thresholds.
struct Threshold {
  std::string_view counter;
  std::uint64_t most;
};

// The first counter above its threshold; all of them must be known.
Verdict JudgeThresholds(const PortView& view, std::span<const Threshold> thresholds) {
  const Fact<std::vector<Counter>>& counters = view.port.port_counters;
  std::string expected;
  for (const Threshold& threshold : thresholds)
    expected += Cat(expected.empty() ? "" : ", ", threshold.counter, " at most ", threshold.most);
  if (!counters) return NoAnswer(counters.missing(), expected, kSource);
  std::string observed;
  bool good = true;
  for (const Threshold& threshold : thresholds) {
    const auto found = std::ranges::find(*counters, threshold.counter, &Counter::name);
    if (found == counters->end()) {
      return NoAnswer({.kind = Missing::Kind::kUnsupported, .detail = Cat("no counter ", threshold.counter)},
                      expected, kSource);
    }
    observed += Cat(observed.empty() ? "" : ", ", found->name, " ", found->value);
    good = good && found->value <= threshold.most;
  }
  return Judged(good, observed, expected, kSource);
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
  return {
      .id = "cnt.saturated",
      .title = "The port's error counters can still count",
      .why = "A counter that stands at its maximum shows no further error: whatever it guards goes unseen",
      .fix = "perfquery -R  # resets them; on a NIC without management datagrams a reload of its driver does",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<PortView>{SaturatedNotApplicable, JudgeSaturated}};
}

Check IbSymbolErrors() {
  return {.id = "ib.symbol-errors",
          .title = "The InfiniBand link has few symbol errors",
          .why = "Symbols that arrive damaged are a bad cable or transceiver, long before the link fails",
          .fix = "perfquery -R  # and look again in an hour: if they grow, replace the cable",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{NotInfiniBand, JudgeSymbols}};
}

Check IbLinkRecovery() {
  return {.id = "ib.link-recovery",
          .title = "The InfiniBand link neither recovers nor goes down often",
          .why = "Each time the link recovers its traffic stops; each time it goes down connections break",
          .fix = "perfquery -R  # and look again in an hour: if they grow, replace the cable",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<PortView>{NotInfiniBand, JudgeRecovery}};
}

}  // namespace rdmaready
