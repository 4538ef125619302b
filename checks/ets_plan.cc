// SPDX-License-Identifier: Apache-2.0
#include "checks/ets_plan.h"

#include <algorithm>
#include <cstddef>

#include "checks/names.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

bool IsUsed(const EtsPlan& plan, std::uint8_t traffic_class) {
  return std::ranges::find(plan.prio_tc, traffic_class) != plan.prio_tc.end();
}

// A class for RDMA apart from the default one: its own number by custom, else the lowest free one, else any
// other.
std::uint8_t ChooseClass(const EtsPlan& plan, std::uint8_t rdma_priority, std::uint8_t classes,
                         bool contiguous) {
  const std::uint8_t fallback = plan.prio_tc[0];
  if (!contiguous && rdma_priority < classes && rdma_priority != fallback && !IsUsed(plan, rdma_priority)) {
    return rdma_priority;
  }
  for (std::uint8_t tc = 0; tc < classes; ++tc) {
    if (!IsUsed(plan, tc)) return tc;
  }
  for (std::uint8_t tc = classes; tc > 0; --tc) {
    if (tc - 1 != fallback) return static_cast<std::uint8_t>(tc - 1);
  }
  return fallback;
}

// Gives `rest` percent to the other ETS classes in the proportion they have now, and none of them nothing.
void ShareRest(EtsPlan& plan, std::uint8_t rdma_class, unsigned rest) {
  unsigned total = 0;
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (tc != rdma_class && plan.tsa[tc] == Tsa::kEts) total += plan.tx_percent[tc];
  }
  unsigned given = 0;
  std::size_t largest = plan.prio_tc[0];
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (tc == rdma_class || plan.tsa[tc] != Tsa::kEts) continue;
    const unsigned now = plan.tx_percent[tc];
    unsigned share = total == 0 ? 0 : now * rest / total;
    if (share == 0 && now > 0) share = 1;
    share = std::min(share, rest - given);
    plan.tx_percent[tc] = static_cast<std::uint8_t>(share);
    given += share;
    if (plan.tsa[largest] != Tsa::kEts || largest == rdma_class || share > plan.tx_percent[largest])
      largest = tc;
  }
  plan.tx_percent[largest] = static_cast<std::uint8_t>(plan.tx_percent[largest] + rest - given);
}

// "all:0 0:50 3:50": the value of most entries first, then the exceptions.
template <class Value, class ToText>
std::string MapText(const std::array<Value, kPriorities>& values, ToText to_text) {
  const Value common = *std::ranges::max_element(
      values, {}, [&values](Value value) { return std::ranges::count(values, value); });
  std::string text = Cat("all:", to_text(common));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != common) text += Cat(" ", i, ":", to_text(values[i]));
  }
  return text;
}

}  // namespace

std::uint8_t ClassCount(const Ets& ets) {
  constexpr std::uint8_t kAll = kPriorities;
  return ets.traffic_classes == 0 || ets.traffic_classes > kAll ? kAll : ets.traffic_classes;
}

EtsPlan PlanEts(const Ets& now, std::uint8_t rdma_priority, std::uint8_t rdma_percent, bool contiguous) {
  const std::uint8_t classes = ClassCount(now);
  EtsPlan plan{.tsa = now.tsa, .tx_percent = now.tx_percent, .prio_tc = now.prio_tc};
  if (plan.prio_tc[0] >= classes) plan.prio_tc[0] = 0;
  for (std::uint8_t& tc : plan.prio_tc) {
    if (tc >= classes) tc = plan.prio_tc[0];
  }
  for (Tsa& tsa : plan.tsa) {
    if (Name(tsa) == "unknown") tsa = Tsa::kStrict;  // an algorithm that `dcb` cannot name
  }
  const std::uint8_t fallback = plan.prio_tc[0];
  std::uint8_t& rdma_class = plan.prio_tc[rdma_priority];
  if (rdma_class == fallback) rdma_class = ChooseClass(plan, rdma_priority, classes, contiguous);

  plan.tsa[rdma_class] = Tsa::kEts;
  bool others = false;
  for (std::uint8_t tc = 0; tc < kPriorities; ++tc) {
    // Only classes that carry something keep a share: a forgotten one would hold it for nobody.
    if (plan.tsa[tc] == Tsa::kEts && !IsUsed(plan, tc)) plan.tsa[tc] = Tsa::kStrict;
    if (plan.tsa[tc] != Tsa::kEts) plan.tx_percent[tc] = 0;
    others = others || (tc != rdma_class && plan.tsa[tc] == Tsa::kEts);
  }
  if (!others) plan.tsa[fallback] = Tsa::kEts;
  const unsigned percent = std::min<unsigned>(rdma_percent, 100);
  plan.tx_percent[rdma_class] = static_cast<std::uint8_t>(percent);
  ShareRest(plan, rdma_class, 100 - percent);
  return plan;
}

std::string EtsCommand(const EtsPlan& plan, std::string_view netdev_word) {
  const auto number = [](std::uint8_t value) { return std::to_string(value); };
  return Cat("dcb ets set dev ", netdev_word, " tc-tsa ",
             MapText(plan.tsa, [](Tsa tsa) { return std::string(Name(tsa)); }), " tc-bw ",
             MapText(plan.tx_percent, number), " prio-tc ", MapText(plan.prio_tc, number));
}

}  // namespace rdmaready
