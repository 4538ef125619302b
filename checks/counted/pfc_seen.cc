// SPDX-License-Identifier: Apache-2.0
// pfc.seen-under-load: a configured PFC is no proof. A NIC that loses frames of a lossless priority without
// having asked for a pause does not do what it was told.
#include <algorithm>
#include <optional>

#include "checks/counted/counters.h"
#include "checks/counted/pfc_frames.h"
#include "checks/counted/window.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// Pauses that it sent for this priority, or for all together where the driver counts no other way. Of dcbnl
// alone nothing is believed: a driver that does not count leaves it at 0.
bool CountsPausesOf(const NicStatistic& one, std::uint8_t priority) {
  return one.counter == NicCounter::kPauseSent && one.priority.value_or(priority) == priority;
}

bool CountsDropsOf(const NicStatistic& one, std::uint8_t priority) {
  return one.counter == NicCounter::kDropReceived && one.priority == priority;
}

// The lossless priorities of which the driver counts both.
std::vector<std::uint8_t> CountedPriorities(const std::vector<NicStatistic>& statistics,
                                            const Profile& profile) {
  std::vector<std::uint8_t> counted;
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    const auto any = [&](auto counts) {
      return std::ranges::any_of(statistics, [&](const NicStatistic& one) { return counts(one, priority); });
    };
    if (IsLossless(profile, priority) && any(CountsPausesOf) && any(CountsDropsOf)) counted.push_back(priority);
  }
  return counted;
}

std::string NotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!kDemandsLossless.made_by(view.profile)) return NotAsked(view.profile, "a lossless priority");
  if (std::string reason = NotWatched(view.port); !reason.empty()) return reason;
  const Fact<std::vector<NicStatistic>> statistics = NetdevFact(view.netdev, &Netdev::statistics);
  if (NotOffered(statistics)) return statistics.missing().detail;
  if (!statistics || !CountedPriorities(*statistics, view.profile).empty()) return "";
  return "the driver does not count the drops and the pauses of a lossless priority";
}

template <class Counts>
std::uint64_t GrowthBy(const std::vector<StatisticChange>& all, std::uint8_t priority, Counts counts) {
  std::uint64_t growth = 0;
  for (const StatisticChange& one : all) {
    if (counts(one.now, priority)) growth += GrowthOf(one.change);
  }
  return growth;
}

Verdict Judge(const EthernetView& view) {
  constexpr std::string_view kSource = "ethtool statistics and dcbnl IEEE PFC, two readings";
  constexpr std::string_view kExpected = "no frame lost that no pause was asked for";
  const Fact<std::vector<NicStatistic>> now = NetdevFact(view.netdev, &Netdev::statistics);
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!now || !all) return NoAnswer(now ? all.missing() : now.missing(), std::string(kExpected), kSource);
  const ByPriority by_dcb = PfcFrames(view, {.sent = true}).value_or(ByPriority{});
  bool silent = false;
  std::string text;
  for (const std::uint8_t priority : CountedPriorities(*now, view.profile)) {
    const std::uint64_t drops = GrowthBy(*all, priority, CountsDropsOf);
    const std::uint64_t pauses = std::max(GrowthBy(*all, priority, CountsPausesOf), by_dcb[priority]);
    silent |= drops > 0 && pauses == 0;
    text += Cat(text.empty() ? "" : "; ", "priority ", priority, ": ", CountText(drops, "frame"), " lost, ",
                CountText(pauses, "pause"), " sent");
  }
  return Judged(!silent, Cat(text, InWindow(view.port)), std::string(kExpected), kSource);
}

}  // namespace

Check PfcSeenUnderLoad() {
  return {
      .id = "pfc.seen-under-load",
      .title = "Frames were lost only after pauses",
      .why =
          "PFC that is configured but not effective: frames come in another priority or buffer than PFC "
          "looks at, and are lost without a pause",
      .fix = "dcb buffer show dev {netdev}  # the lossless priority's own buffer; then trust and the DSCP map",
      .blocks_for = &kDemandsPfc,
      .depends_on = {"link.state", "drv.dcb-capable"},
      .rule = Rule<EthernetView>{NotApplicable, Judge}};
}

}  // namespace rdmaready
