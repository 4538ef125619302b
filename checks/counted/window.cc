// SPDX-License-Identifier: Apache-2.0
#include "checks/counted/window.h"

#include <algorithm>

#include "checks/counted/counters.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using CounterList = Fact<std::vector<Counter>>;

Fact<std::vector<CounterChange>> Between(const CounterList& before, const CounterList& after,
                                         CounterFamily family) {
  if (!after) return after.missing();
  if (!before) return before.missing();
  return Differences(*before, *after, family);
}

std::string GrownText(const CounterChange& change) {
  const std::uint64_t by = GrowthOf(change);
  if (by == 0) return {};
  const std::string_view note = change.kind == CounterChange::Kind::kSaturated ? " or more"
                                : change.kind == CounterChange::Kind::kReset   ? " since it was reset"
                                                                               : "";
  return Cat(change.name, " +", by, note);
}

void Append(std::string& list, const std::string& item) {
  if (!item.empty()) list += Cat(list.empty() ? "" : ", ", item);
}

}  // namespace

std::string NotWatched(const Port& port) {
  const bool unasked = !port.earlier && port.earlier.missing().kind == Missing::Kind::kNotCollected;
  return unasked ? "not watched (--watch SECONDS)" : "";
}

std::string NotCounted(const Port& port, std::initializer_list<ErrorTopic> topics) {
  if (std::string reason = NotWatched(port); !reason.empty()) return reason;
  if (NotOffered(port.hw_counters)) return port.hw_counters.missing().detail;
  const bool any = !port.hw_counters || std::ranges::any_of(*port.hw_counters, [&](const Counter& counter) {
    return std::ranges::any_of(topics, [&counter](ErrorTopic topic) {
      return IsAbout(counter.name, CounterFamily::kHardware, topic);
    });
  });
  return any ? "" : "the driver does not count them";
}

std::string NotCounted(const EthernetView& view, std::initializer_list<NicCounter> counters) {
  if (IsInfiniBand(view.port)) return "InfiniBand: it has no such statistics";
  if (std::string reason = NotWatched(view.port); !reason.empty()) return reason;
  const FactRef<std::vector<NicStatistic>> statistics = NetdevFact(view.netdev, &Netdev::statistics);
  if (NotOffered(statistics)) return statistics.missing().detail;
  const bool any = !statistics || std::ranges::any_of(*statistics, [&](const NicStatistic& one) {
    return std::ranges::find(counters, one.counter) != counters.end();
  });
  return any ? "" : "the driver does not count it";
}

std::uint32_t WindowMs(const Port& port) { return port.earlier ? port.earlier->before_ms : 0; }

std::string InWindow(const Port& port) {
  constexpr std::uint32_t kLongWatchSeconds = 600;  // two checks of an agent's schedule are further apart
  const std::uint32_t seconds = WindowMs(port) / 1000;
  if (seconds >= kLongWatchSeconds) return Cat(" in ", (seconds + 30) / 60, " min");
  return Cat(" in ", seconds, " s");
}

Fact<std::vector<CounterChange>> HardwareChanges(const Port& port) {
  if (!port.earlier) return port.earlier.missing();
  if (port.hw_counters_lifespan_ms && WindowMs(port) < *port.hw_counters_lifespan_ms) {
    return Missing{Missing::Kind::kFailed, "the watch was shorter than the driver keeps a reading"};
  }
  return Between(port.earlier->hw_counters, port.hw_counters, CounterFamily::kHardware);
}

Fact<std::vector<CounterChange>> PmaChanges(const Port& port) {
  if (!port.earlier) return port.earlier.missing();
  if (port.port_counters) return Between(port.earlier->port_counters, port.port_counters, CounterFamily::kPort);
  if (port.ib.pma_counters)
    return Between(port.earlier->pma_counters, port.ib.pma_counters, CounterFamily::kPort);
  return port.port_counters.missing();
}

std::vector<CounterChange> ChangesAbout(const std::vector<CounterChange>& changes, ErrorTopic topic) {
  std::vector<CounterChange> about;
  for (const CounterChange& change : changes) {
    if (IsAbout(change.name, CounterFamily::kHardware, topic)) about.push_back(change);
  }
  return about;
}

std::uint64_t TotalGrowth(const std::vector<CounterChange>& changes) {
  std::uint64_t total = 0;
  for (const CounterChange& change : changes) total += GrowthOf(change);
  return total;
}

std::string GrownText(const std::vector<CounterChange>& changes) {
  std::string text;
  for (const CounterChange& change : changes) Append(text, GrownText(change));
  return Printable(text);
}

Fact<NetdevReading> EarlierOf(const EthernetView& view) {
  if (!view.port.earlier) return view.port.earlier.missing();
  if (!view.netdev) return view.netdev.missing();
  const std::vector<NetdevReading>& readings = view.port.earlier->netdevs;
  const auto found = std::ranges::find(readings, view.netdev->name, &NetdevReading::netdev);
  if (found != readings.end()) return *found;
  return Missing{Missing::Kind::kFailed, "the interface was not there when the watch began"};
}

Fact<std::vector<StatisticChange>> StatisticChanges(const EthernetView& view) {
  const Fact<NetdevReading> earlier = EarlierOf(view);
  if (!earlier) return earlier.missing();
  if (!view.netdev->statistics) return view.netdev->statistics.missing();
  if (!earlier->statistics) return earlier->statistics.missing();
  std::vector<StatisticChange> changes;
  for (const NicStatistic& now : *view.netdev->statistics) {
    const auto then = std::ranges::find(*earlier->statistics, now.name, &NicStatistic::name);
    if (then == earlier->statistics->end()) continue;
    changes.push_back({now, Difference({now.name, then->value}, {now.name, now.value}, std::nullopt)});
  }
  return changes;
}

std::vector<StatisticChange> ChangesOf(const std::vector<StatisticChange>& changes, NicCounter counter) {
  std::vector<StatisticChange> of;
  for (const StatisticChange& change : changes) {
    if (change.now.counter == counter) of.push_back(change);
  }
  return of;
}

std::uint64_t TotalGrowth(const std::vector<StatisticChange>& changes) {
  std::uint64_t total = 0;
  for (const StatisticChange& change : changes) total += GrowthOf(change.change);
  return total;
}

std::string GrownText(const std::vector<StatisticChange>& changes) {
  std::string text;
  for (const StatisticChange& change : changes) Append(text, GrownText(change.change));
  return Printable(text);
}

std::string GrownInWindow(const Port& port, const std::vector<CounterChange>& changes) {
  const std::string text = GrownText(changes);
  return (text.empty() ? std::string(kNoGrowth) : text) + InWindow(port);
}

std::string GrownInWindow(const Port& port, const std::vector<StatisticChange>& changes) {
  const std::string text = GrownText(changes);
  return (text.empty() ? std::string(kNoGrowth) : text) + InWindow(port);
}

}  // namespace rdmaready
