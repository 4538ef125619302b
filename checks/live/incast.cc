// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "api/base/text.h"
#include "checks/blocking.h"
#include "checks/live/incast_culprit.h"
#include "checks/live/incast_losses.h"
#include "checks/live/incast_measures.h"
#include "checks/live/incast_samples.h"
#include "checks/live/stress_measures.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr double kMostRatio = 1'000'000;  // that is printed

std::string Ratio(double value) {
  const auto tenths = static_cast<std::uint64_t>(std::llround(std::clamp(value, 0.0, kMostRatio) * 10));
  return Cat(tenths / 10, ".", tenths % 10);
}

std::string EndOf(const StressFlow& flow) {
  return Cat(flow.from, " -> ", flow.to, ": ", flow.result.failure.detail);
}

// "a", "a and b", "a, b and c".
std::string HostList(const std::vector<std::string>& hosts) {
  std::string text;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const bool last = i + 1 == hosts.size();
    text += Cat(i == 0 ? "" : last ? " and " : ", ", hosts[i]);
  }
  return text;
}

bool IsCarried(const StressFlow& flow) { return flow.result.failure.kind == FailureKind::kNone; }

// A run, and what its numbers say.
struct Case {
  const IncastRun& run;
  const TransferPlace& place;
  const Profile& profile;
  Loss loss = Loss::kNothing;  // the worst of the judged flows
  bool drops = false;          // a NIC counted them
};

Loss WorstLoss(const IncastRun& run, const TransferPlace& place) {
  Loss worst = Loss::kNothing;
  for (const StressFlow* flow : JudgedFlows(run)) worst = std::max(worst, LossOf(*flow, place));
  return worst;
}

// Null where no flow has wrong bytes. Flows that are only shown count as well: no pause makes wrong bytes.
const StressFlow* CorruptFlow(const IncastRun& run) {
  std::vector<const StressFlow*> flows = Together(run);
  for (const std::optional<StressFlow>* one :
       {&run.victim_alone, &run.victim_again, &run.second_victim_alone, &run.second_victim})
    if (*one) flows.push_back(&**one);
  const auto found = std::ranges::find_if(flows, [](const StressFlow* flow) {
    return flow->result.failure.kind == FailureKind::kCorrupt || flow->result.bytes_wrong > 0;
  });
  return found == flows.end() ? nullptr : *found;
}

// Why the victim cannot be judged; empty: it can, or the run has no victim to judge.
std::string WhyNoVictim(const IncastRun& run, const IncastJudgement& judged) {
  if (JudgedVictim(run) == nullptr) return {};
  for (const std::optional<StressFlow>* alone : {&run.victim_alone, &run.victim_again}) {
    if (!*alone) return "the victim was not measured alone twice";
    if (!IsCarried(**alone)) return Cat("the victim alone was not carried: ", EndOf(**alone));
    if (!HasMeasured(**alone)) return "the victim alone measured nothing";
  }
  if (judged.victim_noise && *judged.victim_noise > kMostNoise)
    return Cat("the victim alone differs by ", Ratio(*judged.victim_noise),
               " from one measurement to the next");
  return IsCarried(*run.victim) && !HasMeasured(*run.victim) ? "the victim beside the incast measured nothing"
                                                             : "";
}

// Why a transfer that ended early shows nothing: without a counted loss a host may have stopped, or the
// network.
std::string WhyEnded(const Case& of) {
  for (const StressFlow* flow : JudgedFlows(of.run)) {
    const FailureKind kind = flow->result.failure.kind;
    const bool is_victim = flow == JudgedVictim(of.run);
    const bool early = kind == FailureKind::kDisconnected || (kind == FailureKind::kStalled && !is_victim);
    const bool unexplained = kind == FailureKind::kCompletion && LossOf(*flow, of.place) != Loss::kFrames;
    if ((early && of.loss != Loss::kFrames) || unexplained)
      return Cat("a transfer ended early, and no counter shows a loss: ", EndOf(*flow));
  }
  return {};
}

// The first sender that the network held still; null where each went on.
const StressFlow* HeldSender(const Case& of, const IncastJudgement& judged) {
  if (judged.pressure_permille < kLeastPressurePermille) return nullptr;
  const auto found = std::ranges::find_if(of.run.senders, [&](const StressFlow& flow) {
    return flow.result.failure.kind == FailureKind::kStalled &&
           (WasHeldByPauses(flow) || HasControlFault(flow, of.place));
  });
  return found == of.run.senders.end() ? nullptr : &*found;
}

// Why it is not the network that limited the run; empty: it is.
std::string WhyMachine(const Case& of, const IncastJudgement& judged) {
  if (std::string why = WhyCpusLimit(Together(of.run)); !why.empty()) return why;
  if (of.drops || judged.pressure_permille >= kLeastPressurePermille) return {};
  if (const std::vector<std::string> blind = SendersWithoutPressure(of.run); !blind.empty())
    return Cat("the NICs of ", HostList(blind), " count no pauses or marks, or these could not be read");
  return Cat("the machine limits: the network held the senders back in ", ShareText(judged.pressure_permille),
             " of the time, wanted ", ShareText(kLeastPressurePermille));
}

// Why the run shows nothing; empty: it does.
std::string WhyUnknown(const Case& of, const IncastJudgement& judged) {
  if (of.run.senders.size() < 2) return "an incast needs two senders";
  for (const StressFlow* flow : Together(of.run)) {
    const FailureKind kind = flow->result.failure.kind;
    if (IsOfTheNetwork(kind)) continue;
    const bool given_up = kind == FailureKind::kCancelled || kind == FailureKind::kPeerGone;
    return Cat(given_up ? "a transfer was given up: " : "a transfer was not made: ", EndOf(*flow));
  }
  if (std::string why = WhyMachine(of, judged); !why.empty()) return why;
  if (HeldSender(of, judged) != nullptr) return {};
  if (std::string why = WhyNoVictim(of.run, judged); !why.empty()) return why;
  if (std::string why = WhyEnded(of); !why.empty()) return why;
  if (of.loss != Loss::kTimeouts) return {};
  return "packets were sent again after a timeout, and no counter says that one was lost: the queue may be "
         "longer than the acknowledgement timeout";
}

// Why nobody knows whether something was lost, although no counter shows it; empty: nothing was.
std::string WhyLossUnknown(const Case& of) {
  for (const StressFlow* flow : JudgedFlows(of.run)) {
    if (LossOf(*flow, of.place) == Loss::kPerhaps)
      return Cat("frames of nobody knows which priority were dropped: ", DropsWithoutPriority(*flow));
    if (std::string why = WhyLossNotCounted(*flow); !why.empty())
      return Cat("whether packets were lost is not known: ", why);
  }
  return {};
}

std::string WhyVictimIsShown(const IncastRun& run) {
  if (run.victim_shares_a_sender) return " (it shares a sender: not judged)";
  return run.victim_elsewhere.empty() ? "" : Cat(" (", run.victim_elsewhere, ": not judged)");
}

std::string VictimText(const IncastRun& run, const IncastJudgement& judged) {
  if (!run.victim) return "; no victim was measured";
  const std::string shown = WhyVictimIsShown(run);
  if (!IsCarried(*run.victim))
    return Cat("; the victim was not carried to its end: ", run.victim->result.failure.detail, shown);
  if (!judged.victim_growth) return {};
  return Cat("; the victim's p99 is ", Ratio(*judged.victim_growth), " times its own", shown);
}

std::string SecondVictimText(const IncastRun& run) {
  if (!run.second_victim || !run.second_victim_alone) return {};
  if (!HasMeasured(*run.second_victim) || !HasMeasured(*run.second_victim_alone))
    return "; the second victim was not carried to its end (it shares a sender: not judged)";
  const auto p99 = [](const StressFlow& flow) { return static_cast<double>(flow.result.latency.p99_ns); };
  return Cat("; the second victim's p99 is ", Ratio(p99(*run.second_victim) / p99(*run.second_victim_alone)),
             " times its own (it shares a sender: not judged)");
}

// The most that can arrive; 0: not known.
std::uint64_t MostGoodput(const IncastRun& run) {
  if (run.drain_bytes_per_s == 0 || run.offered_bytes_per_s == 0) return run.drain_bytes_per_s;
  return std::min(run.drain_bytes_per_s, run.offered_bytes_per_s);
}

bool IsFast(const IncastRun& run, const IncastJudgement& judged) {
  const std::uint64_t most = MostGoodput(run);
  return most > 0 &&
         static_cast<double>(judged.goodput_bytes_per_s) >= kLeastGoodput * static_cast<double>(most);
}

// The limit that keeps the rate low; empty where it is not known, or the rate is not low.
std::string LimitText(const Case& of, const IncastJudgement& judged) {
  const IncastRun& run = of.run;
  const bool slow = MostGoodput(run) > 0 && !IsFast(run, judged);
  const bool is_limit = slow || run.drain_is_given;
  if (is_limit && of.place.rdma_priority && ReceiverAsksForPauses(run, *of.place.rdma_priority))
    return Cat("; ", run.senders.front().to, "'s own NIC asked for pauses: its host takes less than its link");
  if (judged.lost || !slow) return {};
  return Cat("; that is less than 80 % of what can arrive",
             SawMarksAlone(run) ? ": congestion control slows the senders down too much" : "");
}

std::string Figures(const Case& of, const IncastJudgement& judged) {
  const IncastRun& run = of.run;
  std::string text = Cat(run.senders.size(), " senders, ", RateText(judged.goodput_bytes_per_s), " together");
  if (run.drain_bytes_per_s > 0)
    text += run.drain_is_given ? Cat(" of ", RateText(run.drain_bytes_per_s), " that the receiver takes")
                               : Cat(" of ", RateText(run.drain_bytes_per_s), " of the receiver's link");
  return Cat(text, ", fairness ", Ratio(judged.fairness * 10), " of 10", LimitText(of, judged),
             VictimText(run, judged), SecondVictimText(run));
}

// How the victim suffered; empty: it did not, or it is not judged.
std::string SufferingOf(const Case& of, const IncastJudgement& judged) {
  const StressFlow* const victim = JudgedVictim(of.run);
  if (victim == nullptr) return {};
  if (!IsCarried(*victim)) return "the victim's transfer failed";
  if (LossOf(*victim, of.place) == Loss::kFrames) return "the victim lost frames";
  return judged.victim_growth && *judged.victim_growth > kMostVictimGrowth ? "the victim waits" : "";
}

void BeUnknown(const Case& of, const std::string& why, IncastJudgement& judged) {
  judged.verdict = IncastVerdict::kUnknown;
  judged.text = Cat("unknown: ", why);
  IncastCulprit fault = FindCertainFault(of.run, of.place, of.profile);
  judged.culprit = std::move(fault.text);
  judged.fix = std::move(fault.fix);
}

void Decided(const Case& of, IncastVerdict verdict, const std::string& text, IncastJudgement& judged) {
  judged.verdict = verdict;
  judged.text = Cat(text, ": ", Figures(of, judged));
  if (verdict == IncastVerdict::kLossless) return;
  IncastCulprit culprit = FindCulprit(of.run, of.place, of.profile);
  judged.culprit = std::move(culprit.text);
  judged.fix = std::move(culprit.fix);
}

void Collapse(const Case& of, const std::string& why, IncastJudgement& judged) {
  const bool nothing_lost = of.loss == Loss::kNothing && WhyLossUnknown(of).empty();
  Decided(of, IncastVerdict::kCollapsing,
          Cat("collapsing: ", why, nothing_lost ? ", and no frame was lost" : ""), judged);
}

// Without wrong bytes, in a run that shows something.
void Decide(const Case& of, IncastJudgement& judged) {
  if (const StressFlow* held = HeldSender(of, judged); held != nullptr && !judged.lost)
    return Collapse(of, Cat("a sender moved nothing while it was paused (", EndOf(*held), ")"), judged);
  if (const std::string suffering = SufferingOf(of, judged); !suffering.empty())
    return Collapse(of, suffering, judged);
  const bool carried = std::ranges::all_of(of.run.senders, IsCarried);
  const bool fair = judged.fairness >= kLeastFairness;
  const bool controlled = carried && fair && IsFast(of.run, judged);
  const bool untold = carried && fair && of.run.drain_bytes_per_s == 0;
  if (judged.lost && !controlled && !untold)
    return Collapse(of, of.drops ? "frames were lost" : "packets were lost or overtaken", judged);
  if (const std::optional<WrongClass> wrong = FindWrongClass(of.run, of.place, of.profile)) {
    BeUnknown(of, "the frames were not in the class that the profile names", judged);
    judged.culprit = wrong->text;
    judged.fix = wrong->fix;
    return;
  }
  if (judged.lost && !controlled)
    return BeUnknown(of, "packets were lost, and what the receiver takes is not known: --drain-mbps", judged);
  if (judged.lost) return Decided(of, IncastVerdict::kControlled, "lossy but controlled", judged);
  if (const std::string why = WhyLossUnknown(of); !why.empty()) return BeUnknown(of, why, judged);
  Decided(of, IncastVerdict::kLossless, "lossless works", judged);
}

}  // namespace

IncastJudgement JudgeIncast(const IncastRun& run, const Profile& profile) {
  const TransferPlace place{.rung = Rung::kPeer,
                            .lossless = kDemandsLossless.made_by(profile),
                            .rdma_priority = profile.rdma_priority};
  const Case of{run, place, profile, WorstLoss(run, place), DropsCounted(run, place)};
  const VictimMeasure victim = MeasureVictim(run);
  IncastJudgement judged{.goodput_bytes_per_s = GoodputOf(run.senders),
                         .fairness = JainIndex(run.senders),
                         .pressure_permille = PressurePermille(run, of.loss == Loss::kFrames),
                         .victim_growth = victim.growth,
                         .victim_noise = victim.noise,
                         .lost = of.loss == Loss::kFrames,
                         .wants_lossless = place.lossless};
  if (const StressFlow* corrupt = CorruptFlow(run)) {
    Collapse(of, Cat("bytes arrived that were not sent (", corrupt->from, " -> ", corrupt->to, ")"), judged);
  } else if (const std::string why = WhyUnknown(of, judged); !why.empty()) {
    BeUnknown(of, why, judged);
  } else {
    Decide(of, judged);
  }
  judged.text = Printable(judged.text);
  return judged;
}

}  // namespace rdmaready
