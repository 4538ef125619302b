// SPDX-License-Identifier: Apache-2.0
#include "checks/live/ets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>

#include "api/base/text.h"
#include "checks/live/ets_classes.h"
#include "checks/live/stress_measures.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr double kIntervalsPerSecond = 10;
constexpr std::size_t kFirstIntervals = 10;  // left out: both still begin
constexpr std::size_t kFewestIntervals = 20;
constexpr double kFull = 0.9;  // of a link
// Around the payload of a full packet: preamble, MAC header, FCS and gap (38), IP (20); of RoCE v2 UDP, BTH and
// ICRC (24), of TCP its header with timestamps (32).
constexpr double kRdmaHeaderBytes = 82;
constexpr double kTcpHeaderBytes = 90;
constexpr double kMostRate = 1e18;  // beyond what any port has, and below what a number holds

struct NamedFlow {
  std::string_view name;
  const StressFlow* flow;
  bool tcp;
};

std::array<NamedFlow, 4> FlowsOf(const EtsRun& run) {
  return {NamedFlow{"RDMA alone", &run.rdma_alone, false}, NamedFlow{"TCP alone", &run.tcp_alone, true},
          NamedFlow{"RDMA beside TCP", &run.rdma, false}, NamedFlow{"TCP beside RDMA", &run.tcp, true}};
}

// Payload bytes per second in the first `count` intervals, without those in which it begins. Where there are
// few intervals, the rate of the whole transfer.
double RateOf(const StressFlow& flow, std::size_t count) {
  const std::vector<std::uint64_t>& all = flow.result.interval_bytes;
  count = std::min(count, all.size());
  if (count < kFewestIntervals)
    return std::min(static_cast<double>(flow.result.throughput_bytes_per_s), kMostRate);
  double sum = 0;
  for (const std::uint64_t bytes : std::span(all).first(count).subspan(kFirstIntervals))
    sum += static_cast<double>(bytes);
  return std::min(sum * kIntervalsPerSecond / static_cast<double>(count - kFirstIntervals), kMostRate);
}

double RateOf(const StressFlow& flow) { return RateOf(flow, flow.result.interval_bytes.size()); }

std::optional<std::uint32_t> PacketBytes(const StressFlow& flow) {
  if (flow.counters.empty() || flow.counters[0].path_mtu_bytes.value_or(0) == 0) return std::nullopt;
  return flow.counters[0].path_mtu_bytes;
}

// The bytes that both put on the wire. Where the packet of either is not known, the payload of both.
std::pair<double, double> WireRates(const EtsRun& run, double rdma, double tcp) {
  const std::optional<std::uint32_t> of_rdma = PacketBytes(run.rdma);
  const std::optional<std::uint32_t> of_tcp = PacketBytes(run.tcp);
  if (!of_rdma || !of_tcp) return {rdma, tcp};
  return {rdma * (1 + kRdmaHeaderBytes / *of_rdma), tcp * (1 + kTcpHeaderBytes / *of_tcp)};
}

bool WantsNoMore(const EtsClass& one, double beside, double alone) {
  const bool above =
      one.configured_permille && one.share_permille > *one.configured_permille + kEtsTolerancePermille;
  return !above && alone > 0 && beside >= alone * kWantsNoMore;
}

struct EtsRates {
  double rdma_alone = 0;
  double tcp_alone = 0;
  double rdma = 0;
  double tcp = 0;
  double wire = 0;  // both beside each other
};

EtsRates MeasureRates(const EtsRun& run, EtsJudgement& judged) {
  const std::size_t both =
      std::min(run.rdma.result.interval_bytes.size(), run.tcp.result.interval_bytes.size());
  EtsRates rates{.rdma_alone = RateOf(run.rdma_alone),
                 .tcp_alone = RateOf(run.tcp_alone),
                 .rdma = RateOf(run.rdma, both),
                 .tcp = RateOf(run.tcp, both)};
  judged.rdma.alone_bytes_per_s = static_cast<std::uint64_t>(std::llround(rates.rdma_alone));
  judged.rdma.beside_bytes_per_s = static_cast<std::uint64_t>(std::llround(rates.rdma));
  judged.tcp.alone_bytes_per_s = static_cast<std::uint64_t>(std::llround(rates.tcp_alone));
  judged.tcp.beside_bytes_per_s = static_cast<std::uint64_t>(std::llround(rates.tcp));
  const auto [rdma, tcp] = WireRates(run, rates.rdma, rates.tcp);
  rates.wire = rdma + tcp;
  if (rates.wire <= 0) return rates;
  constexpr double kPermille = 1000;
  judged.rdma.share_permille = static_cast<std::uint32_t>(std::lround(rdma / rates.wire * kPermille));
  judged.tcp.share_permille = static_cast<std::uint32_t>(kPermille) - judged.rdma.share_permille;
  judged.rdma.bounded_by_demand = WantsNoMore(judged.rdma, rates.rdma, rates.rdma_alone);
  judged.tcp.bounded_by_demand = WantsNoMore(judged.tcp, rates.tcp, rates.tcp_alone);
  return rates;
}

// "RDMA on priority 3 got 51.2 %, configured 50.0 %, 61.0 MB/s of 119 MB/s alone"
std::string ClassText(std::string_view name, const EtsClass& one) {
  std::string text(name);
  if (one.priority) text += Cat(" on priority ", *one.priority);
  text += Cat(" got ", ShareText(one.share_permille));
  if (one.configured_permille) text += Cat(", configured ", ShareText(*one.configured_permille));
  return text;
}

std::string RatesText(const EtsJudgement& judged) {
  const auto text = [](std::string_view name, const EtsClass& one) {
    return Cat(name, " ", RateText(one.beside_bytes_per_s), " of ", RateText(one.alone_bytes_per_s), " alone");
  };
  return Cat(text("RDMA", judged.rdma), ", ", text("TCP", judged.tcp));
}

std::string BothText(const EtsJudgement& judged) {
  return Cat(ClassText("RDMA", judged.rdma), "; ", ClassText("TCP", judged.tcp), "; ", RatesText(judged));
}

// Why a transfer shows nothing; empty: all four do.
std::string WhyNotCarried(const EtsRun& run, const EtsRates& rates) {
  for (const NamedFlow& one : FlowsOf(run)) {
    const TransferResult& result = one.flow->result;
    if (result.failure.kind != FailureKind::kNone)
      return Cat(one.name, " was not carried to its end: ", result.failure.detail);
    if ((result.transport == kTcpTransport) != one.tcp)
      return Cat(one.name, " went over '", result.transport, "'");
    if (result.bytes_wrong > 0) return Cat(one.name, " brought wrong bytes");
  }
  const std::array<double, 4> all{rates.rdma_alone, rates.tcp_alone, rates.rdma, rates.tcp};
  const std::array<NamedFlow, 4> flows = FlowsOf(run);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] <= 0) return Cat(flows[i].name, " measured nothing");
  return {};
}

std::string WhyMachineLimits(const EtsRun& run, const EtsRates& rates) {
  if (std::string why = WhyCpusLimit({&run.rdma, &run.tcp}); !why.empty()) return why;
  const double faster = std::max(rates.rdma_alone, rates.tcp_alone);
  if (rates.rdma + rates.tcp >= faster * kLeastTogether) return {};
  return "the machine limits: both together moved less than the faster one alone";
}

bool IsNear(const EtsClass& one) {
  const auto difference = static_cast<std::int64_t>(one.share_permille) -
                          static_cast<std::int64_t>(one.configured_permille.value_or(0));
  return std::abs(difference) <= kEtsTolerancePermille;
}

// Where the two had to wait. A port that sends as much as its link takes is the one that is full.
EtsPlace PlaceOf(const EtsRun& run, double wire) {
  const auto sender = static_cast<double>(run.sender_bytes_per_s);
  const auto receiver = static_cast<double>(run.receiver_bytes_per_s);
  if (sender <= 0 || receiver <= 0) return EtsPlace::kUnknown;
  if (receiver < sender) return wire >= receiver * kFull ? EtsPlace::kSwitchPort : EtsPlace::kUnknown;
  return wire >= sender * kFull ? EtsPlace::kSenderNic : EtsPlace::kUnknown;
}

std::string SharesText(const EtsJudgement& judged) {
  return Cat("priority ", *judged.rdma.priority, " ", ShareText(*judged.rdma.configured_permille),
             " and priority ", *judged.tcp.priority, " ", ShareText(*judged.tcp.configured_permille));
}

void NamePlace(const EtsRun& run, const std::string& netdev, EtsJudgement& judged) {
  const std::string nic = Cat(Printable(run.rdma.from), "'s NIC ", Printable(netdev));
  const std::string port = Cat("the switch port to ", Printable(run.rdma.to));
  const std::string set = Cat("give the classes of ", port, " the same shares: ", SharesText(judged));
  const std::string show = Cat("dcb ets show dev ", ShellWord(netdev));
  const std::string again = Cat("rdmaready ets ", ShellWord(run.rdma.from), " ", ShellWord(run.rdma.to));
  Fix fix;
  switch (judged.place) {
    case EtsPlace::kSwitchPort:
      judged.culprit = port;
      fix = Fix().Do(set, StepSite::kSwitch);
      break;
    case EtsPlace::kSenderNic:
      judged.culprit = nic;
      fix = Fix(show).Because("the NIC does not hold the shares that its driver shows", Certainty::kPossible);
      break;
    case EtsPlace::kUnknown:
      judged.culprit = Cat(nic, " or ", port);
      fix = Fix()
                .Do(set, StepSite::kSwitch)
                .Or(Cat("where the switch has them: see whether the NIC holds its own, ", show));
      break;
  }
  judged.fix = std::move(fix).CheckBy(again);
}

void Decide(const EtsRun& run, const std::string& netdev, EtsJudgement& judged) {
  const EtsClass& less =
      judged.rdma.share_permille < *judged.rdma.configured_permille ? judged.rdma : judged.tcp;
  const bool neither = judged.rdma.bounded_by_demand && judged.tcp.bounded_by_demand;
  if (neither || (less.bounded_by_demand && !IsNear(less))) {
    const std::string one =
        Cat(&less == &judged.rdma ? "RDMA" : "TCP", " on priority ", *less.priority, " was");
    judged.verdict = EtsVerdict::kBoundedByDemand;
    judged.text = Cat(neither ? "both classes were" : one,
                      " bounded by demand, so the shares were not put to the test: ", BothText(judged));
    return;
  }
  judged.verdict = IsNear(less) ? EtsVerdict::kKept : EtsVerdict::kNotKept;
  judged.text = Cat(IsNear(less) ? "kept: " : "not kept: ", BothText(judged));
  if (judged.verdict == EtsVerdict::kNotKept) NamePlace(run, netdev, judged);
}

}  // namespace

EtsJudgement JudgeEts(const EtsRun& run, const Port& sender, const Profile& profile) {
  EtsClasses classes = FindEtsClasses(run, sender, profile);
  EtsJudgement judged{.rdma = classes.rdma, .tcp = classes.tcp};
  const EtsRates rates = MeasureRates(run, judged);
  judged.place = PlaceOf(run, rates.wire);
  std::string why = WhyNotCarried(run, rates);
  if (why.empty()) why = classes.why_unknown;
  if (why.empty()) why = WhyMachineLimits(run, rates);
  if (why.empty()) {
    Decide(run, classes.netdev, judged);
  } else {
    judged.text = Cat("unknown: ", why);
    if (rates.wire > 0) judged.text += Cat("; ", BothText(judged));
  }
  const std::optional<std::uint32_t>& left = judged.rdma.priority;
  if (judged.rdma.counted && profile.rdma_priority && left != std::uint32_t{*profile.rdma_priority})
    judged.text += Cat("; RDMA left on priority ", *left, ", and the profile gives it priority ",
                       unsigned{*profile.rdma_priority});
  judged.text = Printable(judged.text);
  return judged;
}

}  // namespace rdmaready
