// SPDX-License-Identifier: Apache-2.0
// pause.global-count, pfc.wrong-prio, pfc.storm-live, pfc.seen-under-load, cnt.discards-phy: which frames were
// paused and which were lost while the port was watched. A driver that does not count a thing leaves it out,
// and is not judged for it.
#include <algorithm>
#include <optional>

#include "checks/counted/counters.h"
#include "checks/counted/pfc_frames.h"
#include "checks/counted/window.h"
#include "checks/dcb/pause.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// ---- pfc.seen-under-load ----
//
// A configured PFC is no proof: a NIC that loses frames of a lossless priority without having asked for a pause
// does not do what it was told.

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

template <class Counts>
std::uint64_t GrowthBy(const std::vector<StatisticChange>& all, std::uint8_t priority, Counts counts) {
  std::uint64_t growth = 0;
  for (const StatisticChange& one : all) {
    if (counts(one.now, priority)) growth += GrowthOf(one.change);
  }
  return growth;
}

Verdict JudgePfcSeenUnderLoad(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsLossless.made_by(view.profile))
    return NotApplicable(NotAsked(view.profile, "a lossless priority"));
  if (std::string reason = NotWatched(view.port); !reason.empty()) return NotApplicable(reason);
  const FactRef<std::vector<NicStatistic>> now = NetdevFact(view.netdev, &Netdev::statistics);
  if (NotOffered(now)) return NotApplicable(now.missing().detail);
  if (now && CountedPriorities(*now, view.profile).empty())
    return NotApplicable("the driver does not count the drops and the pauses of a lossless priority");
  constexpr std::string_view kSource = "ethtool statistics and dcbnl IEEE PFC, two readings";
  constexpr std::string_view kExpected = "no frame lost that no pause was asked for";
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!now || !all) return NoAnswer(now ? all.missing() : now.missing(), kExpected, kSource);
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
  return Judged(!silent, Cat(text, InWindow(view.port)), kExpected, kSource);
}

// "4.2%", of parts in a thousand.
std::string PercentText(std::uint64_t per_mille) { return Cat(per_mille / 10, ".", per_mille % 10, "%"); }

// ---- pfc.storm-live ----

// By experience: watchdogs of switches call 200 ms without a pause between them a storm; an average over a
// watch is judged here.
Verdict JudgePfcStormLive(const EthernetView& view) {
  if (!kDemandsLossless.made_by(view.profile))
    return NotApplicable(NotAsked(view.profile, "a lossless priority"));
  if (std::string reason = NotCounted(view, {NicCounter::kPauseReceivedUs}); !reason.empty())
    return NotApplicable(reason);
  constexpr std::string_view kExpected = "paused for at most 1.0% of the time";
  constexpr std::uint64_t kWarnPerMille = 10;
  constexpr std::uint64_t kFailPerMille = 100;
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!all) return NoAnswer(all.missing(), kExpected, kNicStatisticsSource);
  const std::uint64_t window_ms = std::max<std::uint64_t>(WindowMs(view.port), 1);
  std::uint64_t worst = 0;
  std::string who = "no priority";
  for (const StatisticChange& one : ChangesOf(*all, NicCounter::kPauseReceivedUs)) {
    const std::uint64_t per_mille = GrowthOf(one.change) / window_ms;  // of microseconds in milliseconds
    if (per_mille < worst || GrowthOf(one.change) == 0) continue;
    worst = per_mille;
    who = one.now.priority ? Cat("priority ", *one.now.priority) : "the port";
  }
  const std::string observed = Cat(who, " was paused for ", PercentText(worst), InWindow(view.port));
  if (worst > kFailPerMille || worst <= kWarnPerMille)
    return Judged(worst <= kWarnPerMille, observed, kExpected, kNicStatisticsSource);
  return Warned(observed, kExpected, kNicStatisticsSource);
}

// ---- pfc.wrong-prio ----

// "priority 3", "priorities 3 and 4".
std::string OnPriorities(std::uint8_t bitmap) {
  const std::vector<std::uint8_t> list = PrioritiesOf(bitmap);
  return Cat(list.size() == 1 ? "priority " : "priorities ", ListText(list));
}

Verdict JudgePfcWrongPrio(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsPfc.made_by(view.profile)) return NotApplicable(NotAsked(view.profile, "PFC"));
  if (std::string reason = NotWatched(view.port); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kPfcSource = "ethtool statistics and dcbnl IEEE PFC, two readings";
  const std::string expected = view.profile.pfc->empty()
                                   ? std::string("no pauses")
                                   : Cat("pauses on ", OnPriorities(BitmapOf(*view.profile.pfc)), " only");
  const std::optional<ByPriority> frames = PfcFrames(view, {.received = true, .sent = true});
  if (!frames) {
    const Fact<NetdevReading> earlier = EarlierOf(view);
    const FactRef<Pfc> now = ToldByDriver(view.netdev, &Dcb::pfc);
    return NoAnswer(!earlier ? earlier.missing()
                    : !now   ? now.missing()
                             : earlier->pfc.missing(),
                    expected, kPfcSource);
  }
  std::string wrong;
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    const std::uint64_t count = (*frames)[priority];
    if (count == 0 || IsLossless(view.profile, priority)) continue;
    wrong += Cat(wrong.empty() ? "" : ", ", count, " on priority ", priority);
  }
  return Judged(wrong.empty(),
                Cat("pauses: ", wrong.empty() ? "none on other priorities" : wrong, InWindow(view.port)),
                expected, kPfcSource);
}

// ---- pause.global-count ----

Verdict JudgePauseGlobalCount(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsLossless.made_by(view.profile))
    return NotApplicable(NotAsked(view.profile, "a lossless priority"));
  if (std::string reason = NotWatched(view.port); !reason.empty()) return NotApplicable(reason);
  const FactRef<PauseFrames> frames = LinkFact(view.netdev, &EthernetLink::pause_frames);
  if (NotOffered(frames)) return NotApplicable(frames.missing().detail);
  constexpr std::string_view kPauseSource = "ethtool pause statistics, two readings";
  constexpr std::string_view kExpected = "none: priorities are paused, not links";
  const FactRef<PauseFrames> now = LinkFact(view.netdev, &EthernetLink::pause_frames);
  if (!now) return NoAnswer(now.missing(), kExpected, kPauseSource);
  const Fact<NetdevReading> earlier = EarlierOf(view);
  if (!earlier) return NoAnswer(earlier.missing(), kExpected, kPauseSource);
  if (!earlier->pause_frames) return NoAnswer(earlier->pause_frames.missing(), kExpected, kPauseSource);
  const auto grown = [](std::uint64_t before, std::uint64_t after) {
    return GrowthOf(Difference({"", before}, {"", after}, std::nullopt));
  };
  const std::uint64_t received = grown(earlier->pause_frames->received, now->received);
  const std::uint64_t sent = grown(earlier->pause_frames->sent, now->sent);
  return Judged(received + sent == 0,
                Cat("802.3x pauses: ", received, " received, ", sent, " sent", InWindow(view.port)), kExpected,
                kPauseSource,
                Fix(PauseOffFix(view.netdev))
                    .Because("link-level flow control is on at one end")
                    .Caution("the link may go down for a moment")
                    .Do("switch flow control off at the switch port of {netdev}", StepSite::kSwitch)
                    .CheckBy("ethtool -a {netdev}"));
}

// ---- cnt.discards-phy ----

Verdict JudgeCntDiscardsPhy(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsLossless.made_by(view.profile))
    return NotApplicable(NotAsked(view.profile, "a lossless priority"));
  if (std::string reason = NotCounted(view, {NicCounter::kDropReceived}); !reason.empty())
    return NotApplicable(reason);
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!all) return NoAnswer(all.missing(), kNoGrowth, kNicStatisticsSource);
  const std::vector<StatisticChange> drops = ChangesOf(*all, NicCounter::kDropReceived);
  const bool lossless = std::ranges::any_of(drops, [&view](const StatisticChange& one) {
    return GrowthOf(one.change) > 0 && one.now.priority && IsLossless(view.profile, *one.now.priority);
  });
  const std::string observed = GrownInWindow(view.port, drops);
  // Of a class of the NIC's own, or of all together: whose frames they were is not told.
  if (!lossless && TotalGrowth(drops) > 0) return Warned(observed, kNoGrowth, kNicStatisticsSource);
  return Judged(!lossless, observed, kNoGrowth, kNicStatisticsSource);
}

}  // namespace

std::vector<Check> PfcCountedChecks() {
  return {
      {.id = "pause.global-count",
       .title = "Nobody pauses the whole link",
       .why = "A pause of 802.3x stops all traffic where only one priority should wait",
       .fix = Fix("ethtool -A {netdev} autoneg off rx off tx off")
                  .Because("link-level flow control is on at one end")
                  .Caution("the link may go down for a moment")
                  .Do("switch flow control off at the switch port of {netdev}", StepSite::kSwitch)
                  .CheckBy("ethtool -a {netdev}"),
       .depends_on = {"link.state"},
       .judge = JudgePauseGlobalCount},
      {.id = "pfc.wrong-prio",
       .title = "Only the lossless priorities are paused",
       .why = "The switch has another priority lossless than this host: RDMA is dropped in its own",
       .fix = Fix("dcb -s pfc show dev {netdev}")
                  .Because("the switch has other lossless priorities than this host")
                  .Do("give the switch port the priorities of {profile}", StepSite::kSwitch)
                  .CheckBy("dcb -s pfc show dev {netdev}"),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state"},
       .judge = JudgePfcWrongPrio},
      {.id = "pfc.storm-live",
       .title = "The lossless priority is seldom paused",
       .why = "A storm of pauses stops every host that sends to the slow one, and those behind it",
       .fix =
           Fix("ethtool -S {netdev}")
               .Because("the pauses come from the switch: a receiver behind it is slow")
               .Do("find the receiver that pauses most, by the counters of the switch ports", StepSite::kSwitch)
               .CheckBy("ethtool -S {netdev}"),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state"},
       .judge = JudgePfcStormLive},
      {.id = "pfc.seen-under-load",
       .title = "Frames were lost only after pauses",
       .why = "PFC that is configured but not effective: frames come in another priority or buffer than PFC "
              "looks at, and are lost without a pause",
       .fix = Fix("dcb buffer show dev {netdev}")
                  .Because("the frames come in another priority or buffer than the one that is paused")
                  .Do("compare trust, DSCP map and the buffer of the lossless priority with {profile}")
                  .CheckBy("dcb -s pfc show dev {netdev}"),
       .blocks_for = &kDemandsPfc,
       .depends_on = {"link.state", "drv.dcb-capable"},
       .judge = JudgePfcSeenUnderLoad},
      {.id = "cnt.discards-phy",
       .title = "The NIC dropped no frame that it received",
       .why = "A frame of a lossless priority that finds no room is lost: its pause came too late, or not",
       .fix = Fix("dcb buffer show dev {netdev}")
                  .Because("the pause came too late, or not: too little room, or another priority")
                  .Do("compare the room of the lossless priority, PFC and trust with {profile}")
                  .CheckBy("ethtool -S {netdev}"),
       .group = "device",
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state", "pfc.seen-under-load"},
       .judge = JudgeCntDiscardsPhy},
  };
}

}  // namespace rdmaready
