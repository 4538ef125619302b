// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/ets_plan.h"

#include <algorithm>
#include <cstddef>

#include "checks/setting/driver_rules.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool IsUsed(const EtsPlan& plan, std::uint8_t traffic_class) {
  return std::ranges::find(plan.prio_tc, traffic_class) != plan.prio_tc.end();
}

// A class apart from the default one: the priority's own number by custom, else the lowest free one, else
// any other.
std::uint8_t ChooseClass(const EtsPlan& plan, std::uint8_t priority, std::uint8_t classes) {
  const std::uint8_t fallback = plan.prio_tc[0];
  if (priority < classes && priority != fallback && !IsUsed(plan, priority)) return priority;
  for (std::uint8_t tc = 0; tc < classes; ++tc) {
    if (!IsUsed(plan, tc)) return tc;
  }
  for (std::uint8_t tc = classes; tc > 0; --tc) {
    if (tc - 1 != fallback) return static_cast<std::uint8_t>(tc - 1);
  }
  return fallback;
}

// Gives `rest` percent to the ETS classes that nobody claims, in the proportion they have now, and none of
// them nothing.
void ShareRest(EtsPlan& plan, unsigned claimed, unsigned rest) {
  const auto is_claimed = [claimed](std::size_t tc) { return (claimed >> tc & 1U) != 0; };
  unsigned total = 0;
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (!is_claimed(tc) && plan.tsa[tc] == Tsa::kEts) total += plan.tx_percent[tc];
  }
  unsigned given = 0;
  std::size_t largest = plan.prio_tc[0];
  // The first one, by custom everybody's, gives what the least of the others need.
  for (std::size_t tc = kPriorities; tc-- > 0;) {
    if (is_claimed(tc) || plan.tsa[tc] != Tsa::kEts) continue;
    const unsigned now = plan.tx_percent[tc];
    unsigned share = total == 0 ? 0 : now * rest / total;
    if (share == 0 && now > 0) share = 1;
    share = std::min(share, rest - given);
    plan.tx_percent[tc] = static_cast<std::uint8_t>(share);
    given += share;
    if (plan.tsa[largest] != Tsa::kEts || is_claimed(largest) || share > plan.tx_percent[largest]) largest = tc;
  }
  plan.tx_percent[largest] = static_cast<std::uint8_t>(plan.tx_percent[largest] + rest - given);
}

// The classes of a driver as they can be planned with: all there, all of a kind that `dcb` can name.
EtsPlan Begin(const Ets& now) {
  const std::uint8_t classes = ClassCount(now);
  EtsPlan plan{.tsa = now.tsa, .tx_percent = SettingOf(now).tx_percent, .prio_tc = now.prio_tc};
  if (plan.prio_tc[0] >= classes) plan.prio_tc[0] = 0;
  for (std::uint8_t& tc : plan.prio_tc) {
    if (tc >= classes) tc = plan.prio_tc[0];
  }
  for (Tsa& tsa : plan.tsa) {
    if (Name(tsa) == "unknown") tsa = Tsa::kStrict;
  }
  return plan;
}

// Gives each gap below the highest class in use the priority of its own number, with the least of a share. So a
// class keeps its number, which is that of its priority where DSCPs decide (ice_add_dscp_tc_bw_tlv of ice_dcb.c
// maps no priorities to classes).
void FillGaps(EtsPlan& plan) {
  const std::uint8_t fallback = plan.prio_tc[0];
  for (std::uint8_t tc = 1; tc < *std::ranges::max_element(plan.prio_tc); ++tc) {
    if (IsUsed(plan, tc) || plan.prio_tc[tc] != fallback) continue;
    plan.prio_tc[tc] = tc;
    plan.tsa[tc] = plan.tsa[fallback] = Tsa::kEts;
    plan.tx_percent[tc] = 1;
    if (plan.tx_percent[fallback] == 0) plan.tx_percent[fallback] = 100;
  }
}

// The same with its classes in use numbered from 0, in their order: for gaps that could not be filled.
EtsPlan Renumbered(const EtsPlan& plan) {
  EtsPlan dense{.prio_tc = plan.prio_tc};
  dense.tsa.fill(Tsa::kStrict);
  std::uint8_t next = 0;
  for (std::uint8_t tc = 0; tc < kPriorities; ++tc) {
    if (!IsUsed(plan, tc)) continue;
    dense.tsa[next] = plan.tsa[tc];
    dense.tx_percent[next] = plan.tx_percent[tc];
    for (std::size_t priority = 0; priority < kPriorities; ++priority) {
      if (plan.prio_tc[priority] == tc) dense.prio_tc[priority] = next;
    }
    ++next;
  }
  return dense;
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

EtsSetting SettingOf(const Ets& ets) {
  EtsSetting setting{
      .willing = ets.willing, .tsa = ets.tsa, .tx_percent = ets.tx_percent, .prio_tc = ets.prio_tc};
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (setting.tsa[tc] != Tsa::kEts) setting.tx_percent[tc] = 0;
  }
  return setting;
}

std::uint8_t ClassCount(const Ets& ets) {
  constexpr std::uint8_t kAll = kPriorities;
  return ets.traffic_classes == 0 || ets.traffic_classes > kAll ? kAll : ets.traffic_classes;
}

std::optional<std::uint8_t> HeartbeatPercent(const Profile& profile, const Fact<std::uint32_t>& speed_mbps) {
  constexpr std::uint32_t kSlowMbps = 10'000;
  if (!profile.heartbeat) return std::nullopt;
  const bool slow = speed_mbps && *speed_mbps <= kSlowMbps;
  return slow && profile.heartbeat->percent_up_to_10g ? profile.heartbeat->percent_up_to_10g
                                                      : profile.heartbeat->percent;
}

std::vector<EtsClaim> ClaimsOf(const Profile& profile, const Fact<std::uint32_t>& speed_mbps) {
  std::vector<EtsClaim> claims;
  if (!profile.ets_rdma_percent || !profile.rdma_priority) return claims;
  claims.push_back({*profile.rdma_priority, *profile.ets_rdma_percent});
  const std::optional<std::uint8_t> heartbeat = HeartbeatPercent(profile, speed_mbps);
  if (heartbeat && profile.heartbeat->priority != 0)
    claims.push_back({profile.heartbeat->priority, *heartbeat});
  return claims;
}

EtsPlan PlanEts(const Ets& now, std::span<const EtsClaim> claims, bool contiguous) {
  EtsPlan plan = Begin(now);
  const std::uint8_t fallback = plan.prio_tc[0];
  unsigned claimed = 0;
  unsigned rest = 100;
  for (const EtsClaim& claim : claims) {
    std::uint8_t& own = plan.prio_tc[claim.priority];
    const bool taken = own == fallback || (claimed >> own & 1U) != 0;
    if (taken) own = ChooseClass(plan, claim.priority, ClassCount(now));
    claimed |= 1U << own;
    plan.tsa[own] = Tsa::kEts;
  }
  if (contiguous) FillGaps(plan);
  bool others = false;
  for (std::uint8_t tc = 0; tc < kPriorities; ++tc) {
    // Only classes that carry something keep a share: a forgotten one would hold it for nobody.
    if (plan.tsa[tc] == Tsa::kEts && !IsUsed(plan, tc)) plan.tsa[tc] = Tsa::kStrict;
    if (plan.tsa[tc] != Tsa::kEts) plan.tx_percent[tc] = 0;
    others = others || ((claimed >> tc & 1U) == 0 && plan.tsa[tc] == Tsa::kEts);
  }
  if (!others) plan.tsa[fallback] = Tsa::kEts;
  for (const EtsClaim& claim : claims) {
    const unsigned percent = std::min<unsigned>(claim.percent, rest);
    plan.tx_percent[plan.prio_tc[claim.priority]] = static_cast<std::uint8_t>(percent);
    rest -= percent;
  }
  ShareRest(plan, claimed, rest);
  return contiguous ? Renumbered(plan) : plan;
}

EtsPlan PlanClasses(const Profile& profile, bool contiguous) {
  EtsPlan plan;
  std::uint8_t next = 1;
  for (const Profile::EtsClass& one : profile.ets_classes) {
    const std::uint8_t lowest = std::ranges::min(one.priorities);
    const std::uint8_t tc = lowest == 0 ? std::uint8_t{0} : contiguous ? next++ : lowest;
    for (const std::uint8_t priority : one.priorities) plan.prio_tc[priority] = tc;
    plan.tsa[tc] = one.percent ? Tsa::kEts : Tsa::kStrict;
    plan.tx_percent[tc] = one.percent.value_or(0);
  }
  return plan;
}

std::string EtsCommand(const EtsPlan& plan, std::string_view netdev_word) {
  const auto number = [](std::uint8_t value) { return std::to_string(value); };
  const auto shares = SharesToWrite({.tsa = plan.tsa, .tx_percent = plan.tx_percent, .prio_tc = plan.prio_tc});
  return Cat("dcb ets set dev ", netdev_word, " tc-tsa ",
             MapText(plan.tsa, [](Tsa tsa) { return std::string(Name(tsa)); }), " tc-bw ",
             MapText(shares, number), " prio-tc ", MapText(plan.prio_tc, number));
}

}  // namespace rdmaready
