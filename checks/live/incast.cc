// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "api/base/text.h"
#include "checks/live/first_loss.h"
#include "checks/live/incast_measures.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr double kMostRatio = 1'000'000;  // that is printed

std::string Ratio(double value) {
  const auto tenths = static_cast<std::uint64_t>(std::llround(std::clamp(value, 0.0, kMostRatio) * 10));
  return Cat(tenths / 10, ".", tenths % 10);
}

std::string PermilleText(std::uint32_t permille) { return Cat(permille / 10, ".", permille % 10, " %"); }

std::string EndOf(const IncastFlow& flow) {
  return Cat(flow.from, " -> ", flow.to, ": ", flow.result.failure.detail);
}

// A victim that shares a sender suffers from correct pauses.
const IncastFlow* JudgedVictim(const IncastRun& run) {
  return run.victim && !run.victim_shares_a_sender ? &*run.victim : nullptr;
}

// The flows by which the network is judged.
std::vector<const IncastFlow*> JudgedFlows(const IncastRun& run) {
  std::vector<const IncastFlow*> flows;
  for (const IncastFlow& flow : run.senders) flows.push_back(&flow);
  if (const IncastFlow* victim = JudgedVictim(run)) flows.push_back(victim);
  return flows;
}

Loss WorstLoss(const IncastRun& run, const TransferPlace& place) {
  Loss worst = Loss::kNothing;
  for (const IncastFlow* flow : JudgedFlows(run)) worst = std::max(worst, LossOf(*flow, place));
  return worst;
}

bool AnyCorrupt(const IncastRun& run) {
  return std::ranges::any_of(Together(run), [](const IncastFlow* flow) {
    return flow->result.failure.kind == FailureKind::kCorrupt || flow->result.bytes_wrong > 0;
  });
}

// Why the victim cannot be judged; empty: it can, or the run has no victim to judge.
std::string WhyNoVictim(const IncastRun& run, const IncastJudgement& judged) {
  if (JudgedVictim(run) == nullptr) return {};
  for (const std::optional<IncastFlow>* alone : {&run.victim_alone, &run.victim_again}) {
    if (!*alone) return "the victim was not measured alone twice";
    if ((*alone)->result.failure.kind != FailureKind::kNone)
      return Cat("the victim alone was not carried: ", EndOf(**alone));
    if (!HasMeasured(**alone)) return "the victim alone measured nothing";
  }
  if (judged.victim_noise && *judged.victim_noise > kMostNoise)
    return Cat("the victim alone differs by ", Ratio(*judged.victim_noise),
               " from one measurement to the next");
  const bool carried = run.victim->result.failure.kind == FailureKind::kNone;
  return carried && !HasMeasured(*run.victim) ? "the victim beside the incast measured nothing" : "";
}

// Why a transfer that ended early shows nothing: without a counted loss a host may have stopped, or the
// network.
std::string WhyEnded(const IncastRun& run, Loss loss) {
  if (loss == Loss::kFrames) return {};
  for (const IncastFlow* flow : JudgedFlows(run)) {
    const FailureKind kind = flow->result.failure.kind;
    const bool is_victim = flow == JudgedVictim(run);
    if (kind == FailureKind::kDisconnected || (kind == FailureKind::kStalled && !is_victim))
      return Cat("a transfer ended early, and no counter shows a loss: ", EndOf(*flow));
  }
  return {};
}

std::string WhyMachine(const IncastRun& run, Loss loss, const IncastJudgement& judged) {
  const std::optional<BusyHost> busiest = BusiestHost(run);
  if (!busiest) return "an end did not report its counters";
  if (busiest->idle_permille < kLeastIdlePermille)
    return Cat("the machine limits: CPUs of ", busiest->host, " were idle for ",
               PermilleText(busiest->idle_permille), " of the time, wanted ", PermilleText(kLeastIdlePermille));
  // A queue pair that waits for its acknowledgement timeout counts nothing, and the loss is the proof.
  if (loss == Loss::kFrames || judged.pressure_permille >= kLeastPressurePermille) return {};
  return Cat("the machine limits: the network held the senders back in ",
             PermilleText(judged.pressure_permille), " of the time, wanted ",
             PermilleText(kLeastPressurePermille));
}

// Why the run shows nothing; empty: it does.
std::string WhyUnknown(const IncastRun& run, Loss loss, const IncastJudgement& judged) {
  if (run.senders.size() < 2) return "an incast needs two senders";
  for (const IncastFlow* flow : Together(run)) {
    if (!IsOfTheNetwork(flow->result.failure.kind)) return Cat("a transfer was not made: ", EndOf(*flow));
  }
  if (AnyCorrupt(run)) return {};  // no state of the machines excuses that
  if (std::string why = WhyMachine(run, loss, judged); !why.empty()) return why;
  if (std::string why = WhyNoVictim(run, judged); !why.empty()) return why;
  if (std::string why = WhyEnded(run, loss); !why.empty()) return why;
  if (loss != Loss::kTimeouts) return {};
  return "packets were sent again after a timeout, and no counter says that one was lost: the queue may be "
         "longer "
         "than the acknowledgement timeout";
}

std::string VictimText(const IncastRun& run, const IncastJudgement& judged) {
  if (!run.victim) return "; no victim was measured";
  const std::string shared = run.victim_shares_a_sender ? " (it shares a sender: not judged)" : "";
  if (run.victim->result.failure.kind != FailureKind::kNone)
    return Cat("; the victim was not carried to its end: ", run.victim->result.failure.detail, shared);
  if (!judged.victim_growth) return {};
  return Cat("; the victim's p99 is ", Ratio(*judged.victim_growth), " times its own", shared);
}

// The p99 beside the incast by that alone; of a second victim it is shown and never judged.
std::string SecondVictimText(const IncastRun& run) {
  if (!run.second_victim || !run.second_victim_alone) return {};
  if (!HasMeasured(*run.second_victim) || !HasMeasured(*run.second_victim_alone))
    return "; the second victim was not carried to its end (it shares a sender: not judged)";
  const auto p99 = [](const IncastFlow& flow) { return static_cast<double>(flow.result.latency.p99_ns); };
  return Cat("; the second victim's p99 is ", Ratio(p99(*run.second_victim) / p99(*run.second_victim_alone)),
             " times its own (it shares a sender: not judged)");
}

std::string Figures(const IncastRun& run, const IncastJudgement& judged) {
  std::string text = Cat(run.senders.size(), " senders, ", RateText(judged.goodput_bytes_per_s), " together");
  if (run.drain_bytes_per_s > 0)
    text += Cat(" of ", RateText(run.drain_bytes_per_s), " that the receiver takes");
  return Cat(text, ", fairness ", Ratio(judged.fairness * 10), " of 10", VictimText(run, judged),
             SecondVictimText(run));
}

// Ports and hosts of the flow, for the texts.
TransferPlace PlaceOf(const IncastFlow& flow, const TransferPlace& place) {
  TransferPlace of_flow = place;
  of_flow.host = flow.from;
  of_flow.peer_host = flow.to;
  // The counters decide here: each drop is counted by a NIC or by nobody.
  of_flow.software = false;
  return of_flow;
}

// The growth of a NIC's counters of the class; nothing where the NIC does not count them.
std::optional<std::uint64_t> GrownInClass(const EndCounters& end, NicCounter counter, std::uint32_t priority) {
  std::optional<std::uint64_t> sum;
  if (!end.nic) return sum;
  for (const NicChange& one : *end.nic)
    if (one.counter == counter && one.priority == priority && one.change.kind != CounterChange::Kind::kUnknown)
      sum = sum.value_or(0) + std::min<std::uint64_t>(one.change.by, 1);
  return sum;
}

// The receiver stopped its switch port, and the switch stopped no sender: the frames are not in the class
// there.
bool NoSenderWasPaused(const IncastRun& run, std::uint32_t priority) {
  bool asked = false;
  for (const IncastFlow& flow : run.senders) {
    if (flow.counters.size() != 2) return false;
    if (GrownInClass(flow.counters[0], NicCounter::kPauseReceived, priority) != 0) return false;
    asked = asked || GrownInClass(flow.counters[1], NicCounter::kPauseSent, priority).value_or(0) > 0;
  }
  return asked;
}

void NameLoss(const IncastRun& run, const TransferPlace& place, FirstLoss loss, IncastJudgement& judged) {
  judged.culprit = std::move(loss.text);
  judged.fix = std::move(loss.fix);
  if (loss.hop != Hop::kReceiverNic || !place.lossless || !place.rdma_priority) return;
  if (!NoSenderWasPaused(run, *place.rdma_priority)) return;
  judged.culprit +=
      Cat("; no sender was paused: the switch may not have the frames in priority ", *place.rdma_priority);
  judged.fix = std::move(judged.fix)
                   .Or(Cat("where the switch port has it: let the switch trust the mark of the frames and put "
                           "it into priority ",
                           *place.rdma_priority));
}

// Places that the counters of a NIC prove, before what follows from settings.
bool IsProven(Hop hop) {
  switch (hop) {
    case Hop::kSenderNic:
    case Hop::kWire:
    case Hop::kReceiverNic:
    case Hop::kReceiverQueue:
      return true;
    case Hop::kBetween:
    case Hop::kNotKnown:
      return false;
  }
  return false;
}

// A sender that was paused although its port has no PFC of that priority goes on.
const IncastFlow* DeafSender(const IncastRun& run, const TransferPlace& place) {
  if (!place.lossless || !place.rdma_priority) return nullptr;
  const auto found = std::ranges::find_if(
      run.senders, [](const IncastFlow& flow) { return flow.sender_has_pfc && !*flow.sender_has_pfc; });
  return found == run.senders.end() ? nullptr : &*found;
}

void NameCulprit(const IncastRun& run, const TransferPlace& place, IncastJudgement& judged) {
  std::optional<FirstLoss> unproven;
  for (const IncastFlow* flow : JudgedFlows(run)) {
    const TransferPlace of_flow = PlaceOf(*flow, place);
    if (const std::optional<ControlFault> fault = FindControlFault(flow->result, of_flow, flow->counters)) {
      judged.culprit = fault->text;
      judged.fix = fault->fix;
      return;
    }
  }
  for (const IncastFlow* flow : JudgedFlows(run)) {
    std::optional<FirstLoss> loss = FindFirstLoss(flow->result, PlaceOf(*flow, place), flow->counters);
    if (loss && IsProven(loss->hop)) return NameLoss(run, place, *std::move(loss), judged);
    if (loss && !unproven) unproven = std::move(loss);
  }
  if (const IncastFlow* deaf = DeafSender(run, place)) {
    judged.culprit =
        Printable(Cat("PFC of priority ", *place.rdma_priority, " is off at the sender ", deaf->from));
    judged.fix =
        Fix(Cat("rdmaready plan ", ShellWord(deaf->from))).Do("enable PFC of that priority at the sender");
    return;
  }
  if (unproven) NameLoss(run, place, *std::move(unproven), judged);
}

// How the victim suffered; empty: it did not, or it is not judged.
std::string SufferingOf(const IncastRun& run, const TransferPlace& place, const IncastJudgement& judged) {
  const IncastFlow* const victim = JudgedVictim(run);
  if (victim == nullptr) return {};
  if (victim->result.failure.kind != FailureKind::kNone) return "the victim's transfer failed";
  if (LossOf(*victim, place) == Loss::kFrames) return "the victim lost frames";
  return judged.victim_growth && *judged.victim_growth > kMostVictimGrowth ? "the victim waits" : "";
}

void Decide(const IncastRun& run, const TransferPlace& place, IncastJudgement& judged) {
  const std::string suffering = SufferingOf(run, place, judged);
  const bool corrupt = AnyCorrupt(run);
  if (!judged.lost && suffering.empty() && !corrupt) {
    judged.verdict = IncastVerdict::kLossless;
    judged.text = "lossless works: " + Figures(run, judged);
    return;
  }
  const bool carried = std::ranges::all_of(
      run.senders, [](const IncastFlow& flow) { return flow.result.failure.kind == FailureKind::kNone; });
  const bool fast = run.drain_bytes_per_s > 0 && static_cast<double>(judged.goodput_bytes_per_s) >=
                                                     kLeastGoodput * static_cast<double>(run.drain_bytes_per_s);
  if (carried && fast && judged.fairness >= kLeastFairness && suffering.empty() && !corrupt) {
    judged.verdict = IncastVerdict::kControlled;
    judged.text = "lossy but controlled: " + Figures(run, judged);
    return;
  }
  std::string why = corrupt ? "bytes arrived that were not sent" : suffering;
  if (judged.lost && why.empty()) why = "frames were lost";
  judged.verdict = IncastVerdict::kCollapsing;
  judged.text =
      Cat("collapsing: ", why, judged.lost ? "" : ", and no frame was lost", ": ", Figures(run, judged));
}

}  // namespace

IncastJudgement JudgeIncast(const IncastRun& run, const TransferPlace& place) {
  IncastJudgement judged;
  judged.goodput_bytes_per_s = GoodputOf(run.senders);
  judged.fairness = JainIndex(run.senders);
  judged.pressure_permille = PressurePermille(run);
  const VictimMeasure victim = MeasureVictim(run);
  judged.victim_noise = victim.noise;
  judged.victim_growth = victim.growth;
  const Loss loss = WorstLoss(run, place);
  judged.lost = loss == Loss::kFrames;
  if (const std::string unknown = WhyUnknown(run, loss, judged); !unknown.empty()) {
    judged.text = Printable(Cat("unknown: ", unknown));
    return judged;
  }
  Decide(run, place, judged);
  judged.text = Printable(judged.text);
  if (judged.verdict != IncastVerdict::kLossless) NameCulprit(run, place, judged);
  return judged;
}

}  // namespace rdmaready
