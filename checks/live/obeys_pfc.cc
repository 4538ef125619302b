// SPDX-License-Identifier: Apache-2.0
#include "checks/live/obeys_pfc.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "checks/live/foreign_packets.h"
#include "checks/live/loss_signs.h"
#include "checks/live/pfc_stops.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kNsOfMs = 1'000'000;
constexpr std::int64_t kMostBurstNs = 1'000 * kNsOfMs;
constexpr std::int64_t kMostGapNs = 60'000 * kNsOfMs;
constexpr std::uint32_t kMostIntervalMs = 1'000;
constexpr std::int64_t kIntervalsOfBurst = 4;      // at least
constexpr std::uint32_t kLeastKeptPermille = 800;  // of the time that the bursts were to take
// The share of a burst. A burst that begins within an interval leaves a part of it in two that are not quiet.
constexpr std::int64_t kLeastStopPermille = 600;
// To say that a transfer went on, nothing may be left of which a stop could hide.
constexpr std::int64_t kLeastPausedPermille = 990;  // of each burst
// During the bursts, of what is usual before. A busy host loses a fifth of it. A NIC that obeys stops within
// some milliseconds of 100, so that it moves less than a third.
constexpr std::uint32_t kLeastMovedPermille = 700;
constexpr std::uint32_t kMostForeignSent = 100;  // of the packets that the port sent
constexpr std::uint32_t kWhole = 1'000;

std::string MsText(std::int64_t ns) { return Cat(ns / kNsOfMs, " ms"); }

// Why it is not known, and what to do about it.
struct Doubt {
  std::string why{};  // empty: nothing is in the way
  Fix fix{};
};

Fix LessLoad() {
  return Fix()
      .Do("take other load off both hosts, and repeat the test")
      .Or("let both transfers send less (`--max-mbps`)");
}
Fix OnlyThisTest() { return Fix().Do("keep other traffic off both ports, and repeat the test"); }
Fix RepairTheWay(const PfcRun& run) {
  return Fix(Cat("rdmaready test peer ", ShellWord(run.judged), " ", ShellWord(run.pauser)))
      .Do("repair what this shows, and repeat the test");
}
Fix MarkThem(const PfcRun& run) {
  return Fix(Cat("rdmaready plan ", ShellWord(run.judged)))
      .Do("map RDMA's mark to its priority")
      .Or("give the other transfer a mark of another priority (`--beside-tos`)");
}
Fix NewerAgents() { return Fix().Do("update the agents of both hosts"); }

// The part of a transfer before the pauses, and the part in which they were sent.
struct Parts {
  std::int64_t interval_ns = 0;
  std::size_t from = 0;
  std::size_t until = 0;
  std::size_t least_stop = 0;  // intervals
};

// The intervals from the second on: the first has the start in it.
Intervals ControlOf(const StressFlow& flow, const Parts& parts) {
  return Intervals(flow.result.interval_bytes).subspan(1, parts.from - 1);
}
Intervals WindowOf(const StressFlow& flow, const Parts& parts) {
  return Intervals(flow.result.interval_bytes).subspan(parts.from, parts.until - parts.from);
}

Doubt WhyNoPauses(const PfcRun& run) {
  const std::string& why = run.pause_failure;
  const Fix refused = Fix().Do(Cat("do what ", run.pauser, " says, and repeat the test"));
  if (run.bursts.empty() && !why.empty()) return {Cat("the pauses of ", run.pauser, " failed: ", why), refused};
  if (run.bursts.empty()) return {Cat(run.pauser, " sent no pause"), NewerAgents()};
  if (!why.empty()) return {Cat(run.pauser, " sent ", run.bursts.size(), " pauses, and then: ", why), refused};
  if (run.burst_ns <= 0 || run.burst_ns > kMostBurstNs || run.gap_ns < 0 || run.gap_ns > kMostGapNs)
    return {"the length of a pause is not known", NewerAgents()};
  return {};
}

Doubt WhyNoTransfer(const PfcRun& run) {
  for (const auto& [name, flow] : {std::pair("paused", &run.paused), std::pair("other", &run.beside)}) {
    const Failure& failure = flow->result.failure;
    if (failure.kind != FailureKind::kNone)
      return {Cat("the ", name, " transfer was not carried to its end: ", failure.detail), RepairTheWay(run)};
  }
  return {};
}

Doubt WhyNoParts(const PfcRun& run, Parts& parts) {
  const std::uint32_t interval_ms = run.paused.result.interval_ms.value_or(0);
  parts.interval_ns = interval_ms * kNsOfMs;
  const bool same = run.beside.result.interval_ms.value_or(0) == interval_ms;
  if (interval_ms == 0 || interval_ms > kMostIntervalMs || !same ||
      parts.interval_ns * kIntervalsOfBurst > run.burst_ns)
    return {"the transfers did not measure in intervals of a quarter of a pause or less", NewerAgents()};
  const std::int64_t least_ns = run.burst_ns * kLeastStopPermille / kWhole;
  parts.least_stop = static_cast<std::size_t>((least_ns + parts.interval_ns - 1) / parts.interval_ns);
  const std::int64_t from = run.pauses_from_ns / parts.interval_ns;
  const std::int64_t until = run.pauses_until_ns / parts.interval_ns;
  const std::size_t size =
      std::min(run.paused.result.interval_bytes.size(), run.beside.result.interval_bytes.size());
  if (until < 0 || static_cast<std::uint64_t>(until) > size)
    return {"the transfers ended before the pauses did", LessLoad()};
  if (from < 2 || from >= until || from - 1 < (until - from) / 2)
    return {"the transfers ran too short before the pauses", LessLoad()};
  const std::int64_t period_ns = run.burst_ns + run.gap_ns;
  const std::int64_t taken_ns = static_cast<std::int64_t>(run.bursts.size() - 1) * period_ns + run.burst_ns;
  if (run.pauses_until_ns - run.pauses_from_ns < taken_ns)
    return {"the pauses took less time than they were to take", NewerAgents()};
  parts.from = static_cast<std::size_t>(from);
  parts.until = static_cast<std::size_t>(until);
  return {};
}

Doubt WhyNoControl(const PfcRun& run, const Parts& parts) {
  const Intervals paused = ControlOf(run.paused, parts);
  const Intervals beside = ControlOf(run.beside, parts);
  if (MedianOf(paused) == 0)
    return {"the paused transfer moved nothing before it was paused", RepairTheWay(run)};
  if (MedianOf(beside) == 0)
    return {"the other transfer moved nothing before anything was paused", RepairTheWay(run)};
  if (!StopsIn(paused, MedianOf(paused), parts.least_stop).empty())
    return {"the paused transfer stopped before it was paused: the machines are too busy for this test",
            LessLoad()};
  if (!StopsIn(beside, MedianOf(beside), parts.least_stop).empty())
    return {"the other transfer stopped before anything was paused: the machines are too busy for this test",
            LessLoad()};
  return {};
}

std::int64_t PausedNs(const PfcRun& run) {
  std::int64_t sum = 0;
  for (const PauseBurst& burst : run.bursts) sum += std::clamp<std::int64_t>(burst.paused_ns, 0, run.burst_ns);
  return sum;
}

Doubt WhyNotKept(const PfcRun& run) {
  const std::int64_t asked_ns = run.burst_ns * static_cast<std::int64_t>(run.bursts.size());
  if (PausedNs(run) * kWhole >= asked_ns * kLeastKeptPermille) return {};
  return {Cat(run.pauser, " kept up its pauses for ", MsText(PausedNs(run)), " of ", MsText(asked_ns)),
          LessLoad()};
}

const EndCounters* SenderOf(const StressFlow& flow) {
  return flow.counters.empty() ? nullptr : &flow.counters.front();
}

// Pauses of the priority that the judged NIC counted; nothing where it does not count them.
std::optional<std::uint64_t> CountedPauses(const PfcRun& run) {
  const EndCounters* const end = SenderOf(run.paused);
  const auto of_priority = [&run](const NicChange& one) { return one.priority == run.priority; };
  if (end == nullptr || !Counts(*end, {NicCounter::kPauseReceived}, of_priority)) return std::nullopt;
  return GrownIf(*end, {NicCounter::kPauseReceived}, of_priority).total;
}

// Nine tenths of the packets of a transfer's data; nothing where that is not known.
std::optional<std::uint64_t> LeastPackets(const StressFlow& flow) {
  std::optional<std::uint32_t> mtu = flow.result.path_mtu_bytes;
  if (!mtu && SenderOf(flow) != nullptr) mtu = SenderOf(flow)->path_mtu_bytes;
  if (!mtu || *mtu == 0) return std::nullopt;
  return flow.result.bytes / *mtu / kWhole * kLeastInClassPermille +
         flow.result.bytes / *mtu % kWhole * kLeastInClassPermille / kWhole;
}

// The packets of the port, without those of others.
struct SentPackets {
  std::uint64_t paused = 0;  // of the paused priority
  std::uint64_t others = 0;  // of all others together
};

Doubt WhyNoPackets(const PfcRun& run, SentPackets& packets) {
  const EndCounters* const end = SenderOf(run.paused);
  if (end == nullptr || !end->packets || run.priority >= kPriorities)
    return {"it is not known in which priority the transfers were", NewerAgents()};
  const std::optional<PacketsByPriority> foreign = ForeignPackets(*end, &PriorityPackets::sent);
  if (!foreign)
    return {Cat("the agent of ", run.judged, " did not measure the packets of others"), NewerAgents()};
  const PacketsByPriority& sent = end->packets->sent;
  const PacketsByPriority own = LessForeign(*foreign, sent);
  double all = 0;
  double of_others = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    all += static_cast<double>(sent[i]);
    of_others += static_cast<double>(sent[i] - own[i]);
    if (i != run.priority)
      packets.others += std::min(own[i], std::numeric_limits<std::uint64_t>::max() - packets.others);
  }
  packets.paused = own[run.priority];
  if (of_others * kWhole > all * kMostForeignSent)
    return {Cat(ShareText(static_cast<std::uint32_t>(of_others * kWhole / all)), " of the packets that ",
                run.judged, " sent are others'"),
            OnlyThisTest()};
  return {};
}

// Why it is not proven that the paused transfer was in its priority and, with `beside_counts`, that the other
// one was not.
Doubt WhyNoClass(const PfcRun& run, bool beside_counts) {
  SentPackets sent;
  if (Doubt doubt = WhyNoPackets(run, sent); !doubt.why.empty()) return doubt;
  const std::optional<std::uint64_t> paused = LeastPackets(run.paused);
  const std::optional<std::uint64_t> beside = LeastPackets(run.beside);
  if (!paused || !beside) return {"it is not known in which priority the transfers were", NewerAgents()};
  if (sent.paused < *paused)
    return {Cat("the paused transfer is not in priority ", run.priority, ": its port sent ", sent.paused,
                " packets there, wanted ", *paused),
            MarkThem(run)};
  if (!beside_counts) return {};
  if (sent.others < *beside)
    return {Cat("the other transfer is not in another priority: its port sent ", sent.others,
                " packets there, wanted ", *beside),
            MarkThem(run)};
  if (sent.paused - *paused >= *beside)
    return {Cat("both transfers may be in priority ", run.priority, ": its port sent ", sent.paused,
                " packets there"),
            MarkThem(run)};
  return {};
}

// The bytes of the other transfer in all stops, each `later` by so many intervals. Nothing where it was not
// under way then.
std::optional<double> MovedIn(Intervals beside, const Parts& parts, const std::vector<Stop>& stops,
                              std::ptrdiff_t later) {
  double moved = 0;
  for (const Stop& stop : stops) {
    const auto first = static_cast<std::ptrdiff_t>(parts.from + stop.first) + later;
    if (first < 1 || first + static_cast<std::ptrdiff_t>(stop.count) > std::ssize(beside)) return std::nullopt;
    for (const std::uint64_t bytes : beside.subspan(static_cast<std::size_t>(first), stop.count))
      moved += static_cast<double>(bytes);
  }
  return moved;
}

// The share of its own rate that the other transfer kept while the paused one was quiet. The two do not begin
// their intervals at the same moment: a busy host begins one of them later by 0.2 s and more. So it is the
// least of all times up to one pause earlier or later.
std::uint32_t KeptPermille(const PfcRun& run, const Parts& parts, const std::vector<Stop>& stops) {
  const Intervals beside(run.beside.result.interval_bytes);
  const std::int64_t most = (run.burst_ns + run.gap_ns) / parts.interval_ns;
  std::optional<double> least;
  for (std::int64_t later = -most; later <= most; ++later) {
    const std::optional<double> moved = MovedIn(beside, parts, stops, static_cast<std::ptrdiff_t>(later));
    if (moved && (!least || *moved < *least)) least = moved;
  }
  double count = 0;
  for (const Stop& stop : stops) count += static_cast<double>(stop.count);
  const double usual = count * static_cast<double>(MedianOf(ControlOf(run.beside, parts)));
  return static_cast<std::uint32_t>(std::clamp(usual > 0 ? least.value_or(0) * kWhole / usual : 0.0, 0.0, 1e6));
}

// Whether the other transfer stopped by itself as often as the paused one, and as much apart.
bool StopsAsOften(const PfcRun& run, const BurstTimes& times, const std::vector<Stop>& stops) {
  const Intervals beside = Intervals(run.beside.result.interval_bytes).subspan(1);
  std::size_t shortest = beside.size();
  for (const Stop& stop : stops) shortest = std::min(shortest, stop.count);
  const std::vector<Stop> others = StopsIn(beside, MedianOf(beside), std::max<std::size_t>(shortest, 2) - 1);
  return others.size() == stops.size() && AreOnTime(others, times);
}

void SetUnknown(PfcJudgement& judged, const Doubt& doubt) {
  judged.verdict = PfcVerdict::kUnknown;
  judged.text = Printable(Cat("unknown: ", doubt.why));
  judged.fix = doubt.fix;
}

BurstTimes TimesOf(const PfcRun& run, const Parts& parts) {
  return {.bursts = run.bursts.size(),
          .interval_ns = parts.interval_ns,
          .burst_ns = run.burst_ns,
          .period_ns = run.burst_ns + run.gap_ns};
}

// The pauses that should have reached the judged NIC.
std::uint64_t FramesOf(const PfcRun& run) {
  std::uint64_t frames = 0;
  for (const PauseBurst& burst : run.bursts) frames += burst.frames;
  return frames;
}

// A NIC that shows no count of the priority's pauses. mlx5 and mlx4 list them only while PFC is on for it
// (mlx5/core/en_stats.c, mlx5e_grp_per_prio_pfc_fill_strings; mlx4/en_ethtool.c, mlx4_en_get_strings).
void JudgeUncounted(const PfcRun& run, PfcJudgement& judged) {
  if (run.paused.sender_has_pfc != false)
    return SetUnknown(judged, {Cat("the transfer did not stop, and the NIC of ", run.judged,
                                   " does not count pauses of priority ", run.priority),
                               Fix().Do("compare what that NIC's own tools count as received pauses")});
  SetUnknown(judged, {Cat("PFC of priority ", run.priority, " is off at ", run.judged,
                          ", whose NIC counts no pauses while it is off"),
                      Fix(Cat("rdmaready plan ", ShellWord(run.judged)))
                          .Do("enable PFC of that priority, and repeat the test")});
  judged.culprit = Printable(Cat("PFC of priority ", run.priority, " is off at ", run.judged));
}

// Why the pauses may not have reached the judged NIC, all of them. Its counter shows them. Some may be its
// partner's own, sent by hardware: the partner's counter of sent pauses does not tell, since no driver says
// whether the frames of a host are in it.
Doubt WhyNotReached(const PfcRun& run, std::uint64_t counted) {
  const Fix swap = Fix().Do(Cat("swap the two hosts, so that the other one pauses: that judges ", run.pauser));
  const char* const or_a_switch = run.link_is_heard ? "" : ", or a switch is between the two";
  if (counted == 0)
    return {Cat("no pause reached ", run.judged, ": the NIC of ", run.pauser,
                " may drop the pauses of its host", or_a_switch),
            run.link_is_heard ? swap : Fix(swap).Or("join the two ports by one cable")};
  const std::uint64_t frames = FramesOf(run);
  if (counted < frames - frames / 10)
    return {Cat("only ", counted, " of ", frames, " pauses reached ", run.judged), swap};
  return {};
}

// Why a transfer may seem to go on although its NIC stopped.
Doubt WhyNotWentOn(const PfcRun& run, const Parts& parts, std::uint64_t counted) {
  if (Doubt doubt = WhyNotReached(run, counted); !doubt.why.empty()) return doubt;
  for (const PauseBurst& burst : run.bursts)
    if (burst.paused_ns < run.burst_ns / kWhole * kLeastPausedPermille)
      return {Cat(run.pauser, " kept up a pause for ", MsText(burst.paused_ns), " of ", MsText(run.burst_ns)),
              LessLoad()};
  const std::uint32_t moved = LeastMovedPermille(WindowOf(run.paused, parts),
                                                 MedianOf(ControlOf(run.paused, parts)), TimesOf(run, parts));
  if (moved < kLeastMovedPermille)
    return {Cat("the transfer did not stop, and did not go on either: it kept ", ShareText(moved),
                " of its rate during the pauses"),
            LessLoad()};
  return WhyNoClass(run, false);
}

void JudgeNoStop(const PfcRun& run, const Parts& parts, PfcJudgement& judged) {
  if (!judged.pauses_counted) return JudgeUncounted(run, judged);
  if (const Doubt doubt = WhyNotWentOn(run, parts, *judged.pauses_counted); !doubt.why.empty())
    return SetUnknown(judged, doubt);
  const std::string end = Cat("the NIC of ", run.judged);
  judged.verdict = PfcVerdict::kGoesOn;
  judged.text = Printable(Cat("does not obey PFC: its NIC counted ", *judged.pauses_counted,
                              " pauses of priority ", run.priority, ", and the transfer went on"));
  const Fix plan(Cat("rdmaready plan ", ShellWord(run.judged)));
  const std::optional<bool>& has_pfc = run.paused.sender_has_pfc;
  if (has_pfc == false) {
    judged.culprit = Printable(Cat("PFC of priority ", run.priority, " is off at ", run.judged));
    judged.fix = Fix(plan).Do("enable PFC of that priority");
  } else if (has_pfc) {
    judged.culprit = Printable(Cat(end, " goes on although PFC of priority ", run.priority, " is on"));
    judged.fix = Fix("# update the firmware of that NIC").Or("ask its vendor why it does not stop");
  } else {
    judged.culprit = Printable(Cat(end, " goes on, and whether it has PFC is not known"));
    judged.fix = Fix(plan).Do("enable PFC of that priority").Or("update the firmware of that NIC");
  }
}

// Why the stops may not be those of the pauses.
Doubt WhyNotOfThePauses(const PfcRun& run, const BurstTimes& times, const std::vector<Stop>& stops,
                        const PfcJudgement& judged) {
  const std::size_t bursts = run.bursts.size();
  if (judged.pauses_counted == 0U)
    return {Cat("the transfer stopped, and the NIC of ", run.judged, " counted no pause of priority ",
                run.priority, ": another thing may have stopped it"),
            OnlyThisTest()};
  if (stops.size() < bursts)
    return {Cat("the transfer stopped in ", stops.size(), " of ", bursts, " pauses"), LessLoad()};
  if (stops.size() > bursts)
    return {Cat("the transfer stopped ", stops.size(), " times in ", bursts, " pauses"), LessLoad()};
  if (!AreOnTime(stops, times))
    return {"the transfer stopped at other times than it was paused, or for longer", LessLoad()};
  return {};
}

void JudgeStops(const PfcRun& run, const BurstTimes& times, const std::vector<Stop>& stops,
                PfcJudgement& judged) {
  if (const Doubt doubt = WhyNotOfThePauses(run, times, stops, judged); !doubt.why.empty())
    return SetUnknown(judged, doubt);
  const std::size_t bursts = run.bursts.size();
  const std::string kept = Cat("the other transfer kept ", ShareText(judged.beside_permille), " of its rate");
  const bool stopped_both = judged.beside_permille <= kStoppedBesidePermille && StopsAsOften(run, times, stops);
  if (!stopped_both && judged.beside_permille < kLeastBesidePermille)
    return SetUnknown(judged, {Cat("the other transfer kept only ", ShareText(judged.beside_permille),
                                   " of its rate while the paused one was quiet"),
                               LessLoad()});
  if (stopped_both || !judged.pauses_counted)
    if (const Doubt doubt = WhyNoClass(run, true); !doubt.why.empty()) return SetUnknown(judged, doubt);
  if (stopped_both) {
    judged.verdict = PfcVerdict::kStopsAll;
    judged.text = Printable(
        Cat("stops other classes, too: in ", bursts, " pauses of priority ", run.priority, " ", kept));
    judged.culprit = Printable(Cat("the NIC of ", run.judged, " stops more than priority ", run.priority));
    judged.fix = Fix(Cat("rdmaready plan ", ShellWord(run.judged)))
                     .Do("give the priority a traffic class of its own")
                     .Or("update the firmware of that NIC");
    return;
  }
  judged.verdict = PfcVerdict::kObeys;
  judged.text =
      Printable(Cat("obeys PFC: stopped in ", bursts, " of ", bursts, " pauses of priority ", run.priority,
                    " (", MsText(judged.quiet_ns), " quiet of ", MsText(judged.paused_ns), " paused), ", kept));
}

}  // namespace

PfcJudgement JudgePfc(const PfcRun& run) {
  PfcJudgement judged{.pauses_counted = CountedPauses(run)};
  Parts parts;
  Doubt doubt = WhyNoTransfer(run);
  if (doubt.why.empty()) doubt = WhyNoPauses(run);
  if (doubt.why.empty()) doubt = WhyNoParts(run, parts);
  if (doubt.why.empty()) doubt = WhyNoControl(run, parts);
  if (doubt.why.empty()) doubt = WhyNotKept(run);
  if (!doubt.why.empty()) {
    SetUnknown(judged, doubt);
    return judged;
  }
  const std::uint64_t usual = MedianOf(ControlOf(run.paused, parts));
  const std::vector<Stop> stops = StopsIn(WindowOf(run.paused, parts), usual, parts.least_stop);
  judged.paused_ns = PausedNs(run);
  judged.stops = static_cast<std::uint32_t>(stops.size());
  for (const Stop& stop : stops) judged.quiet_ns += static_cast<std::int64_t>(stop.count) * parts.interval_ns;
  judged.beside_permille = KeptPermille(run, parts, stops);
  if (stops.empty()) {
    JudgeNoStop(run, parts, judged);
  } else {
    JudgeStops(run, TimesOf(run, parts), stops, judged);
  }
  return judged;
}

}  // namespace rdmaready
