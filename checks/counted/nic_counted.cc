// SPDX-License-Identifier: Apache-2.0
// pfc.storm-live, pfc.wrong-prio, pause.global-count, cnt.discards-phy, cnt.pause-storm, link.ber, pcie.stall:
// what the NIC's statistics did while the port was watched. A driver that does not count a thing leaves it out,
// and is not judged for it.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "checks/counted/counters.h"
#include "checks/counted/pfc_frames.h"
#include "checks/counted/window.h"
#include "checks/dcb/pause.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "ethtool statistics, two readings";
constexpr std::string_view kNoGrowth = "no growth";

std::string NotEthernet(const EthernetView& view) {
  return IsInfiniBand(view.port) ? "InfiniBand: it has no such statistics" : NotWatched(view.port);
}

// Why there is nothing to judge: the driver counts none of `counters`.
std::string NotCounted(const EthernetView& view, std::span<const NicCounter> counters) {
  if (std::string reason = NotEthernet(view); !reason.empty()) return reason;
  const Fact<std::vector<NicStatistic>> statistics = NetdevFact(view.netdev, &Netdev::statistics);
  if (NotOffered(statistics)) return statistics.missing().detail;
  const bool any = !statistics || std::ranges::any_of(*statistics, [&](const NicStatistic& one) {
    return std::ranges::find(counters, one.counter) != counters.end();
  });
  return any ? "" : "the driver does not count it";
}

std::string Grown(const EthernetView& view, const std::vector<StatisticChange>& changes) {
  const std::string text = GrownText(changes);
  return Cat(text.empty() ? std::string(kNoGrowth) : text, InWindow(view.port));
}

// "4.2%", of parts in a thousand.
std::string PercentText(std::uint64_t per_mille) { return Cat(per_mille / 10, ".", per_mille % 10, "%"); }

// ---- pfc.storm-live ----

std::string StormNotApplicable(const EthernetView& view) {
  constexpr NicCounter kCounters[] = {NicCounter::kPauseReceivedUs};
  if (!kDemandsLossless.made_by(view.profile)) return NotAsked(view.profile, "a lossless priority");
  return NotCounted(view, kCounters);
}

// By experience: watchdogs of switches call 200 ms without a pause between them a storm; an average over a
// watch is judged here.
Verdict JudgeStorm(const EthernetView& view) {
  constexpr std::string_view kExpected = "paused for at most 1.0% of the time";
  constexpr std::uint64_t kWarnPerMille = 10;
  constexpr std::uint64_t kFailPerMille = 100;
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!all) return NoAnswer(all.missing(), std::string(kExpected), kSource);
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
    return Judged(worst <= kWarnPerMille, observed, std::string(kExpected), kSource);
  return Warned(observed, std::string(kExpected), kSource);
}

// ---- pfc.wrong-prio ----

// "priority 3", "priorities 3 and 4".
std::string OnPriorities(std::uint8_t bitmap) {
  const std::vector<std::uint8_t> list = PrioritiesOf(bitmap);
  return Cat(list.size() == 1 ? "priority " : "priorities ", ListText(list));
}

std::string WrongNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return kDemandsPfc.made_by(view.profile) ? NotWatched(view.port) : NotAsked(view.profile, "PFC");
}

Verdict JudgeWrong(const EthernetView& view) {
  constexpr std::string_view kPfcSource = "ethtool statistics and dcbnl IEEE PFC, two readings";
  const std::string expected = view.profile.pfc->empty()
                                   ? std::string("no pauses")
                                   : Cat("pauses on ", OnPriorities(BitmapOf(*view.profile.pfc)), " only");
  const std::optional<ByPriority> frames = PfcFrames(view, {.received = true, .sent = true});
  if (!frames) {
    const Fact<NetdevReading> earlier = EarlierOf(view);
    const Fact<Pfc> now = DcbFact(view.netdev, &Dcb::pfc);
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

std::string GlobalNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!kDemandsLossless.made_by(view.profile)) return NotAsked(view.profile, "a lossless priority");
  if (std::string reason = NotWatched(view.port); !reason.empty()) return reason;
  const Fact<PauseFrames> frames = LinkFact(view.netdev, &EthernetLink::pause_frames);
  return NotOffered(frames) ? frames.missing().detail : "";
}

Verdict JudgeGlobal(const EthernetView& view) {
  constexpr std::string_view kPauseSource = "ethtool pause statistics, two readings";
  constexpr std::string_view kExpected = "none: priorities are paused, not links";
  const Fact<PauseFrames> now = LinkFact(view.netdev, &EthernetLink::pause_frames);
  if (!now) return NoAnswer(now.missing(), std::string(kExpected), kPauseSource);
  const Fact<NetdevReading> earlier = EarlierOf(view);
  if (!earlier) return NoAnswer(earlier.missing(), std::string(kExpected), kPauseSource);
  if (!earlier->pause_frames)
    return NoAnswer(earlier->pause_frames.missing(), std::string(kExpected), kPauseSource);
  const auto grown = [](std::uint64_t before, std::uint64_t after) {
    return GrowthOf(Difference({"", before}, {"", after}, std::nullopt));
  };
  const std::uint64_t received = grown(earlier->pause_frames->received, now->received);
  const std::uint64_t sent = grown(earlier->pause_frames->sent, now->sent);
  return Judged(received + sent == 0,
                Cat("802.3x pauses: ", received, " received, ", sent, " sent", InWindow(view.port)),
                std::string(kExpected), kPauseSource,
                PauseOffFix(view.netdev) + "  # and flow control off at the switch port");
}

// ---- cnt.discards-phy ----

std::string DiscardsNotApplicable(const EthernetView& view) {
  constexpr NicCounter kCounters[] = {NicCounter::kDropReceived};
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!kDemandsLossless.made_by(view.profile)) return NotAsked(view.profile, "a lossless priority");
  return NotCounted(view, kCounters);
}

Verdict JudgeDiscards(const EthernetView& view) {
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!all) return NoAnswer(all.missing(), std::string(kNoGrowth), kSource);
  const std::vector<StatisticChange> drops = ChangesOf(*all, NicCounter::kDropReceived);
  const bool lossless = std::ranges::any_of(drops, [&view](const StatisticChange& one) {
    return GrowthOf(one.change) > 0 && one.now.priority && IsLossless(view.profile, *one.now.priority);
  });
  const std::string observed = Grown(view, drops);
  // Of a class of the NIC's own, or of all together: whose frames they were is not told.
  if (!lossless && TotalGrowth(drops) > 0) return Warned(observed, std::string(kNoGrowth), kSource);
  return Judged(!lossless, observed, std::string(kNoGrowth), kSource);
}

// ---- pairs of a counter that fails and one that warns ----

struct Pair {
  NicCounter fail = NicCounter::kUnknown;
  std::array<NicCounter, 2> warn{};  // kUnknown: none
};
constexpr Pair kStormGivenUp{NicCounter::kPauseStormError,
                             {NicCounter::kPauseStormWarning, NicCounter::kUnknown}};
constexpr Pair kStalls{NicCounter::kPciBufferOverflow,
                       {NicCounter::kPciStalledRead, NicCounter::kPciStalledWrite}};

template <const Pair& kPair>
std::string PairNotApplicable(const EthernetView& view) {
  constexpr NicCounter kCounters[] = {kPair.fail, kPair.warn[0], kPair.warn[1]};
  return NotCounted(view, kCounters);
}

template <const Pair& kPair>
Verdict JudgePair(const EthernetView& view) {
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!all) return NoAnswer(all.missing(), std::string(kNoGrowth), kSource);
  std::vector<StatisticChange> changes = ChangesOf(*all, kPair.fail);
  const bool failed = TotalGrowth(changes) > 0;
  for (const NicCounter counter : kPair.warn) {
    if (counter == NicCounter::kUnknown) continue;
    const std::vector<StatisticChange> more = ChangesOf(*all, counter);
    changes.insert(changes.end(), more.begin(), more.end());
  }
  const std::string observed = Grown(view, changes);
  if (!failed && TotalGrowth(changes) > 0) return Warned(observed, std::string(kNoGrowth), kSource);
  return Judged(!failed, observed, std::string(kNoGrowth), kSource);
}

// ---- link.ber ----

std::string BerNotApplicable(const EthernetView& view) {
  constexpr NicCounter kCounters[] = {NicCounter::kSymbolErrors, NicCounter::kFecUncorrectableBlocks,
                                      NicCounter::kFecCorrectedBits};
  return NotCounted(view, kCounters);
}

// Few drivers count them; a link carries as many as its speed says, in frames or between them.
Fact<std::uint64_t> BitsReceived(const EthernetView& view, const std::vector<StatisticChange>& all) {
  constexpr std::uint64_t kBitsPerMbpsAndMs = 1000;
  const std::uint64_t counted = TotalGrowth(ChangesOf(all, NicCounter::kBitsReceived));
  if (counted > 0) return counted;
  const Fact<std::uint32_t> speed = NetdevFact(view.netdev, &Netdev::speed_mbps);
  if (!speed) return speed.missing();
  return *speed * kBitsPerMbpsAndMs * WindowMs(view.port);
}

// The ratio is by experience; no standard has a number.
Verdict JudgeBer(const EthernetView& view) {
  constexpr std::string_view kExpected = "no symbol error, and less than one bit in a million corrected";
  constexpr std::uint64_t kMillion = 1'000'000;
  const Fact<std::vector<StatisticChange>> all = StatisticChanges(view);
  if (!all) return NoAnswer(all.missing(), std::string(kExpected), kSource);
  std::vector<StatisticChange> errors = ChangesOf(*all, NicCounter::kSymbolErrors);
  const std::vector<StatisticChange> blocks = ChangesOf(*all, NicCounter::kFecUncorrectableBlocks);
  errors.insert(errors.end(), blocks.begin(), blocks.end());
  const std::uint64_t corrected = TotalGrowth(ChangesOf(*all, NicCounter::kFecCorrectedBits));
  const Fact<std::uint64_t> bits = BitsReceived(view, *all);
  const std::string grown = GrownText(errors);
  const std::string observed =
      Cat(grown.empty() ? "no symbol error" : grown, ", ", corrected, " bits corrected",
          bits ? Cat(" of ", *bits) : std::string(), InWindow(view.port));
  if (grown.empty() && corrected > 0) {
    if (!bits) return NoAnswer(bits.missing(), std::string(kExpected), kSource);
    if (corrected > *bits / kMillion) return Warned(observed, std::string(kExpected), kSource);
  }
  return Judged(grown.empty(), observed, std::string(kExpected), kSource);
}

}  // namespace

Check PfcStormLive() {
  return {.id = "pfc.storm-live",
          .title = "The lossless priority is seldom paused",
          .why = "A storm of pauses stops every host that sends to the slow one, and those behind it",
          .fix = "ethtool -S {netdev}  # they come from the switch: find the receiver that sends them there",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{StormNotApplicable, JudgeStorm}};
}

Check PfcWrongPrio() {
  return {.id = "pfc.wrong-prio",
          .title = "Only the lossless priorities are paused",
          .why = "The switch has another priority lossless than this host: RDMA is dropped in its own",
          .fix = "dcb -s pfc show dev {netdev}  # which priorities pause; let both ends have the profile's",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{WrongNotApplicable, JudgeWrong}};
}

Check PauseGlobalCount() {
  return {.id = "pause.global-count",
          .title = "Nobody pauses the whole link",
          .why = "A pause of 802.3x stops all traffic where only one priority should wait",
          .fix = "ethtool -A {netdev} autoneg off rx off tx off  # and flow control off at the switch port",
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{GlobalNotApplicable, JudgeGlobal}};
}

Check CntDiscardsPhy() {
  return {
      .id = "cnt.discards-phy",
      .title = "The NIC dropped no frame that it received",
      .why = "A frame of a lossless priority that finds no room is lost: its pause came too late, or not",
      .fix = "dcb buffer show dev {netdev}  # room and mapping of the lossless priority; then PFC and trust",
      .blocks_for = &kDemandsLossless,
      .depends_on = {"link.state", "pfc.seen-under-load"},
      .rule = Rule<EthernetView>{DiscardsNotApplicable, JudgeDiscards}};
}

Check CntPauseStorm() {
  return {.id = "cnt.pause-storm",
          .title = "The NIC did not give up pausing",
          .why = "A NIC whose host takes nothing stops its pauses after a while, and drops from there on",
          .fix = "ethtool -S {netdev}  # the host is stuck: its CPU, its PCIe link, the program that receives",
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{PairNotApplicable<kStormGivenUp>, JudgePair<kStormGivenUp>}};
}

Check LinkBer() {
  return {.id = "link.ber",
          .title = "The link has few bit errors",
          .why = "Bits that FEC has to correct foretell those that it cannot: lost frames",
          .fix = "ethtool -m {netdev}  # the transceiver: clean it or replace it, or the cable",
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{BerNotApplicable, JudgeBer}};
}

Check PcieStall() {
  return {.id = "pcie.stall",
          .title = "The host takes what the NIC hands it",
          .why = "A NIC that waits for PCIe pauses the network instead, however fast the link is",
          .fix = "lspci -vv  # of the NIC: width, speed, MaxReadReq; then its NUMA node and the memory there",
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{PairNotApplicable<kStalls>, JudgePair<kStalls>}};
}

}  // namespace rdmaready
