// SPDX-License-Identifier: Apache-2.0
#include "checks/live/obeys_pfc.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "checks/live/loss_signs.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kNsOfMs = 1'000'000;
constexpr std::int64_t kMostBurstNs = 1'000 * kNsOfMs;
constexpr std::uint32_t kMostIntervalMs = 1'000;
constexpr std::int64_t kIntervalsOfBurst = 4;      // at least
constexpr std::uint32_t kLeastKeptPermille = 800;  // of the time that the bursts were to take
// The share of a burst. A burst that begins within an interval leaves a part of it in two that are not quiet.
constexpr std::int64_t kLeastStopPermille = 600;
constexpr std::uint32_t kWhole = 1'000;

std::string MsText(std::int64_t ns) { return Cat(ns / kNsOfMs, " ms"); }

using Intervals = std::span<const std::uint64_t>;

// The part of a transfer before the pauses, and the part in which they were sent.
struct Parts {
  std::int64_t interval_ns = 0;
  std::size_t from = 0;
  std::size_t until = 0;
  std::size_t least_stop = 0;  // intervals
};

std::uint64_t MedianOf(Intervals intervals) {
  std::vector<std::uint64_t> sorted(intervals.begin(), intervals.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

struct Stop {
  std::size_t first = 0;
  std::size_t count = 0;
};

// Runs of at least `least` intervals in which less than a part of `usual` moved.
std::vector<Stop> StopsIn(Intervals intervals, std::uint64_t usual, std::size_t least) {
  std::vector<Stop> stops;
  Stop stop;
  for (std::size_t i = 0; i <= intervals.size(); ++i) {
    if (i < intervals.size() && intervals[i] < usual / kQuietShare) {
      if (stop.count++ == 0) stop.first = i;
      continue;
    }
    if (stop.count >= least) stops.push_back(stop);
    stop = {};
  }
  return stops;
}

// The intervals from the second on: the first has the start in it.
Intervals ControlOf(const StressFlow& flow, const Parts& parts) {
  return Intervals(flow.result.interval_bytes).subspan(1, parts.from - 1);
}
Intervals WindowOf(const StressFlow& flow, const Parts& parts) {
  return Intervals(flow.result.interval_bytes).subspan(parts.from, parts.until - parts.from);
}

std::string WhyNoPauses(const PfcRun& run) {
  const std::string why = run.pause_failure.empty() ? "" : Cat(": ", run.pause_failure);
  if (run.bursts.empty())
    return why.empty() ? Cat(run.pauser, " sent no pause") : Cat("the pauses of ", run.pauser, " failed", why);
  if (!why.empty()) return Cat(run.pauser, " sent ", run.bursts.size(), " pauses, and then", why);
  if (run.burst_ns <= 0 || run.burst_ns > kMostBurstNs) return "the length of a pause is not known";
  return {};
}

std::string WhyNoTransfer(const PfcRun& run) {
  for (const auto& [name, flow] : {std::pair("paused", &run.paused), std::pair("other", &run.beside)}) {
    const Failure& failure = flow->result.failure;
    if (failure.kind != FailureKind::kNone)
      return Cat("the ", name, " transfer was not carried to its end: ", failure.detail);
  }
  return {};
}

std::string WhyNoParts(const PfcRun& run, Parts& parts) {
  const std::uint32_t interval_ms = run.paused.result.interval_ms.value_or(0);
  parts.interval_ns = interval_ms * kNsOfMs;
  const bool same = run.beside.result.interval_ms.value_or(0) == interval_ms;
  if (interval_ms == 0 || interval_ms > kMostIntervalMs || !same ||
      parts.interval_ns * kIntervalsOfBurst > run.burst_ns)
    return "the transfers did not measure in intervals of a quarter of a pause or less";
  parts.least_stop = static_cast<std::size_t>(run.burst_ns * kLeastStopPermille / kWhole / parts.interval_ns);
  const std::int64_t from = run.pauses_from_ns / parts.interval_ns;
  const std::int64_t until = run.pauses_until_ns / parts.interval_ns;
  const std::size_t size =
      std::min(run.paused.result.interval_bytes.size(), run.beside.result.interval_bytes.size());
  if (until < 0 || static_cast<std::uint64_t>(until) > size) return "the transfers ended before the pauses did";
  if (from < 2 || from >= until || from - 1 < (until - from) / 2)
    return "the transfers ran too short before the pauses";
  parts.from = static_cast<std::size_t>(from);
  parts.until = static_cast<std::size_t>(until);
  return {};
}

std::string WhyNoControl(const PfcRun& run, const Parts& parts) {
  const Intervals paused = ControlOf(run.paused, parts);
  const Intervals beside = ControlOf(run.beside, parts);
  if (MedianOf(paused) == 0) return "the paused transfer moved nothing before it was paused";
  if (MedianOf(beside) == 0) return "the other transfer moved nothing before anything was paused";
  if (!StopsIn(paused, MedianOf(paused), parts.least_stop).empty())
    return "the paused transfer stopped before it was paused: the machines are too busy for this test";
  if (!StopsIn(beside, MedianOf(beside), parts.least_stop).empty())
    return "the other transfer stopped before anything was paused: the machines are too busy for this test";
  return {};
}

std::int64_t PausedNs(const PfcRun& run) {
  std::int64_t sum = 0;
  for (const PauseBurst& burst : run.bursts) sum += std::clamp<std::int64_t>(burst.paused_ns, 0, run.burst_ns);
  return sum;
}

std::string WhyNotKept(const PfcRun& run) {
  const std::int64_t asked_ns = run.burst_ns * static_cast<std::int64_t>(run.bursts.size());
  if (PausedNs(run) * kWhole >= asked_ns * kLeastKeptPermille) return {};
  return Cat(run.pauser, " kept up its pauses for ", MsText(PausedNs(run)), " of ", MsText(asked_ns));
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

// Why it is not proven that each transfer was in a priority of its own; empty: it is.
std::string WhyNoClass(const PfcRun& run, bool beside_counts) {
  const EndCounters* const end = SenderOf(run.paused);
  const std::optional<std::uint64_t> paused = LeastPackets(run.paused);
  const std::optional<std::uint64_t> beside = LeastPackets(run.beside);
  if (end == nullptr || !end->packets || !paused || !beside || run.priority >= kPriorities)
    return "it is not known in which priority the transfers were";
  const std::array<std::uint64_t, kPriorities>& sent = end->packets->sent;
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < sent.size(); ++i)
    if (i != run.priority) others += std::min(sent[i], std::numeric_limits<std::uint64_t>::max() - others);
  if (sent[run.priority] < *paused)
    return Cat("the paused transfer is not in priority ", run.priority, ": its port sent ", sent[run.priority],
               " packets there, wanted ", *paused);
  if (beside_counts && others < *beside)
    return Cat("the other transfer is not in another priority: its port sent ", others,
               " packets there, wanted ", *beside);
  return {};
}

// The share of its own rate that the other transfer kept while the paused one was quiet.
std::uint32_t KeptPermille(const PfcRun& run, const Parts& parts, const std::vector<Stop>& stops) {
  const Intervals beside = WindowOf(run.beside, parts);
  double moved = 0;
  double count = 0;
  for (const Stop& stop : stops) {
    for (const std::uint64_t bytes : beside.subspan(stop.first, stop.count))
      moved += static_cast<double>(bytes);
    count += static_cast<double>(stop.count);
  }
  const double usual = count * static_cast<double>(MedianOf(ControlOf(run.beside, parts)));
  return static_cast<std::uint32_t>(std::clamp(usual > 0 ? moved * kWhole / usual : 0.0, 0.0, 1e6));
}

void SetUnknown(PfcJudgement& judged, const std::string& why) {
  judged.verdict = PfcVerdict::kUnknown;
  judged.text = Printable(Cat("unknown: ", why));
}

void JudgeNoStop(const PfcRun& run, PfcJudgement& judged) {
  const std::string end = Cat("the NIC of ", run.judged);
  if (!judged.pauses_counted)
    return SetUnknown(judged, Cat("the transfer did not stop, and ", end, " does not count pauses of priority ",
                                  run.priority));
  if (*judged.pauses_counted == 0)
    return SetUnknown(judged, Cat("no pause reached ", run.judged, ": the NIC of ", run.pauser,
                                  " may drop the pauses of its host, or a switch is between the two"));
  if (const std::string why = WhyNoClass(run, false); !why.empty()) return SetUnknown(judged, why);
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

void JudgeStops(const PfcRun& run, PfcJudgement& judged) {
  if (judged.pauses_counted == 0U)
    return SetUnknown(judged,
                      Cat("the transfer stopped, and the NIC of ", run.judged, " counted no pause of priority ",
                          run.priority, ": another thing may have stopped it"));
  const std::size_t bursts = run.bursts.size();
  if (judged.stops < bursts)
    return SetUnknown(judged, Cat("the transfer stopped in ", judged.stops, " of ", bursts, " pauses"));
  if (judged.stops > bursts + bursts / 2)
    return SetUnknown(judged, Cat("the transfer stopped ", judged.stops, " times in ", bursts, " pauses"));
  const std::string kept = Cat("the other transfer kept ", ShareText(judged.beside_permille), " of its rate");
  if (judged.beside_permille <= kStoppedBesidePermille) {
    if (const std::string why = WhyNoClass(run, true); !why.empty()) return SetUnknown(judged, why);
    judged.verdict = PfcVerdict::kStopsAll;
    judged.text = Printable(
        Cat("stops other classes, too: in ", bursts, " pauses of priority ", run.priority, " ", kept));
    judged.culprit = Printable(Cat("the NIC of ", run.judged, " stops more than priority ", run.priority));
    judged.fix = Fix(Cat("rdmaready plan ", ShellWord(run.judged)))
                     .Do("give the priority a traffic class of its own")
                     .Or("update the firmware of that NIC");
    return;
  }
  if (judged.beside_permille < kLeastBesidePermille)
    return SetUnknown(judged, Cat("the other transfer kept only ", ShareText(judged.beside_permille),
                                  " of its rate while the paused one was quiet"));
  judged.verdict = PfcVerdict::kObeys;
  judged.text =
      Printable(Cat("obeys PFC: stopped in ", bursts, " of ", bursts, " pauses of priority ", run.priority,
                    " (", MsText(judged.quiet_ns), " quiet of ", MsText(judged.paused_ns), " paused), ", kept));
}

}  // namespace

PfcJudgement JudgePfc(const PfcRun& run) {
  PfcJudgement judged{.pauses_counted = CountedPauses(run)};
  Parts parts;
  std::string why = WhyNoPauses(run);
  if (why.empty()) why = WhyNoTransfer(run);
  if (why.empty()) why = WhyNoParts(run, parts);
  if (why.empty()) why = WhyNoControl(run, parts);
  if (why.empty()) why = WhyNotKept(run);
  if (!why.empty()) {
    SetUnknown(judged, why);
    return judged;
  }
  const std::uint64_t usual = MedianOf(ControlOf(run.paused, parts));
  const std::vector<Stop> stops = StopsIn(WindowOf(run.paused, parts), usual, parts.least_stop);
  judged.paused_ns = PausedNs(run);
  judged.stops = static_cast<std::uint32_t>(stops.size());
  for (const Stop& stop : stops) judged.quiet_ns += static_cast<std::int64_t>(stop.count) * parts.interval_ns;
  judged.beside_permille = KeptPermille(run, parts, stops);
  if (stops.empty()) {
    JudgeNoStop(run, judged);
  } else {
    JudgeStops(run, judged);
  }
  return judged;
}

}  // namespace rdmaready
