// SPDX-License-Identifier: Apache-2.0
#include "checks/live/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "checks/live/flow_outcome.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr double kMostNumber = 1e18;  // agents may say anything

std::uint64_t Rounded(double value) {
  return static_cast<std::uint64_t>(std::clamp(std::round(value), 0.0, kMostNumber));
}

// Not empty; it sorts them.
double MedianOf(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

using Good = std::vector<const StressFlow*>;

template <class Get>
double MedianOf(const Good& flows, const Get& get) {
  std::vector<double> numbers;
  for (const StressFlow* flow : flows) numbers.push_back(static_cast<double>(get(flow->result)));
  return numbers.empty() ? 0 : MedianOf(std::move(numbers));
}

// Nothing where one of them is not known.
template <class Get>
std::optional<double> KnownMedianOf(const Good& flows, const Get& get) {
  std::vector<double> numbers;
  for (const StressFlow* flow : flows) {
    const std::optional<double> number = get(*flow);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.empty()) return std::nullopt;
  return MedianOf(std::move(numbers));
}

// In nanoseconds, of one host.
std::optional<double> CpuOf(const StressFlow& flow, const std::string& host) {
  const auto end = std::ranges::find(flow.counters, host, &EndCounters::host);
  if (end == flow.counters.end() || !end->host_cpu) return std::nullopt;
  const HostCpu& cpu = *end->host_cpu;
  if (cpu.idle_ns <= 0 || cpu.measured_ns <= 0) return std::nullopt;
  const double idle = static_cast<double>(cpu.idle_busy_ns) / static_cast<double>(cpu.idle_ns);
  return std::max(static_cast<double>(cpu.busy_ns) - idle * static_cast<double>(cpu.measured_ns), 0.0);
}

std::optional<double> BusyPermille(const StressFlow& flow, const std::string& host) {
  const std::optional<double> cpu = CpuOf(flow, host);
  if (!cpu) return std::nullopt;
  const auto end = std::ranges::find(flow.counters, host, &EndCounters::host);
  return *cpu * 1000 / static_cast<double>(end->host_cpu->measured_ns);
}

// The time of both hosts by `parts` of what was moved.
std::optional<double> CpuPer(const StressFlow& flow, double parts) {
  const std::optional<double> from = CpuOf(flow, flow.from);
  const std::optional<double> to = CpuOf(flow, flow.to);
  if (!from || !to || parts <= 0) return std::nullopt;
  return (*from + *to) / parts;
}

double MainFigureOf(Figure figure, const TransferResult& result) {
  switch (figure) {
    case Figure::kOperations:
      return static_cast<double>(result.operations_per_s);
    case Figure::kLatency:
      return static_cast<double>(result.latency.p50_ns);
    case Figure::kRate:
    case Figure::kUnknown:
      break;
  }
  return static_cast<double>(result.throughput_bytes_per_s);
}

std::optional<std::uint32_t> Permille(std::optional<double> value) {
  if (!value) return std::nullopt;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(Rounded(*value), 1'000'000'000));
}

std::optional<std::uint64_t> Whole(std::optional<double> value) {
  return value ? std::optional(Rounded(*value)) : std::nullopt;
}

Good GoodOnes(const std::vector<StressFlow>& flows) {
  Good good;
  for (const StressFlow& flow : flows)
    if (Came(flow)) good.push_back(&flow);
  return good;
}

std::int64_t Latency(const Good& good, std::int64_t LatencySummary::*part) {
  const double median = MedianOf(good, [part](const TransferResult& result) { return result.latency.*part; });
  return static_cast<std::int64_t>(std::clamp(median, 0.0, kMostNumber));
}

TransportFigures FiguresOf(const std::vector<StressFlow>& flows, Figure figure) {
  const Good good = GoodOnes(flows);
  TransportFigures figures{.transfers = static_cast<std::uint32_t>(good.size())};
  if (good.empty()) return figures;
  figures.throughput_bytes_per_s =
      Rounded(MedianOf(good, [](const TransferResult& one) { return one.throughput_bytes_per_s; }));
  figures.operations_per_s =
      Rounded(MedianOf(good, [](const TransferResult& one) { return one.operations_per_s; }));
  figures.latency = {.p50_ns = Latency(good, &LatencySummary::p50_ns),
                     .p99_ns = Latency(good, &LatencySummary::p99_ns),
                     .p999_ns = Latency(good, &LatencySummary::p999_ns),
                     .max_ns = Latency(good, &LatencySummary::max_ns)};
  if (good.size() > 1) {
    const auto [least, most] = std::ranges::minmax(
        good, {}, [figure](const StressFlow* flow) { return MainFigureOf(figure, flow->result); });
    const double smallest = MainFigureOf(figure, least->result);
    if (smallest > 0) figures.spread = MainFigureOf(figure, most->result) / smallest;
  }
  const auto busy = [](std::string StressFlow::*host) {
    return [host](const StressFlow& flow) { return BusyPermille(flow, flow.*host); };
  };
  figures.from_cpu_permille = Permille(KnownMedianOf(good, busy(&StressFlow::from)));
  figures.to_cpu_permille = Permille(KnownMedianOf(good, busy(&StressFlow::to)));
  figures.cpu_ns_per_operation = Whole(KnownMedianOf(
      good, [](const StressFlow& flow) { return CpuPer(flow, static_cast<double>(flow.result.messages)); }));
  figures.cpu_ns_per_mib = Whole(KnownMedianOf(good, [](const StressFlow& flow) {
    return CpuPer(flow, static_cast<double>(flow.result.bytes) / (1 << 20));
  }));
  return figures;
}

double MainFigureOf(Figure figure, const TransportFigures& figures) {
  return MainFigureOf(figure, TransferResult{.throughput_bytes_per_s = figures.throughput_bytes_per_s,
                                             .operations_per_s = figures.operations_per_s,
                                             .latency = figures.latency});
}

std::string WhyOneFailed(std::string_view transport, const std::vector<StressFlow>& flows) {
  const auto failed = std::ranges::find_if_not(flows, Came);
  return failed == flows.end() ? std::string() : Cat("over ", transport, ": ", WhyFailed(*failed));
}

void SetVerdict(Figure figure, ComparedCase& one) {
  const double rdma = MainFigureOf(figure, one.rdma);
  const double tcp = MainFigureOf(figure, one.tcp);
  if (rdma <= 0 || tcp <= 0) {
    if (one.why_unknown.empty()) one.why_unknown = "nothing was measured";
    return;
  }
  one.ratio = figure == Figure::kLatency ? tcp / rdma : rdma / tcp;
  if (!one.why_unknown.empty()) return;
  if (one.rdma.transfers < 2 || one.tcp.transfers < 2) {
    one.why_unknown = "one transfer over each says nothing of how much two of them differ";
    return;
  }
  if (!one.rdma.spread || !one.tcp.spread) {
    one.why_unknown = "a transfer measured nothing";
    return;
  }
  const double noise = std::max(*one.rdma.spread, *one.tcp.spread);
  one.verdict = *one.ratio > noise       ? CompareVerdict::kRdmaAhead
                : *one.ratio < 1 / noise ? CompareVerdict::kTcpAhead
                                         : CompareVerdict::kNoDifference;
}

ComparedCase CaseOf(const CompareCase& made) {
  const TransferCase* row = FindCase(made.case_name);
  const Figure figure = row != nullptr ? row->figure : Figure::kRate;
  ComparedCase one{.case_name = Printable(made.case_name),
                   .rdma = FiguresOf(made.rdma, figure),
                   .tcp = FiguresOf(made.tcp, figure)};
  const std::string rdma = WhyOneFailed("RDMA", made.rdma);
  one.rdma_failed = std::ranges::any_of(made.rdma, ShowsAFault);
  one.why_unknown = rdma.empty() ? WhyOneFailed("TCP", made.tcp) : rdma;
  SetVerdict(figure, one);
  return one;
}

// Within the spread of the transfers nothing can be said.
void JudgeNearness(std::uint32_t most_percent, ComparedCase& one) {
  if (one.verdict == CompareVerdict::kUnknown || !one.ratio || !one.rdma.spread || !one.tcp.spread) return;
  const double noise = std::max(*one.rdma.spread, *one.tcp.spread);
  const double percent = 100 / *one.ratio;
  const std::string text = Cat("TCP reaches ", Rounded(std::ceil(percent)), " % of RDMA, wanted at most ",
                               most_percent, " % (max_tcp_percent)");
  if (percent > most_percent * noise) {
    one.too_near = text;
  } else if (percent > most_percent / noise) {
    one.verdict = CompareVerdict::kUnknown;
    one.why_unknown = text + ", and transfers over one transport differ by more than that";
  }
}

std::string Headline(const std::vector<ComparedCase>& cases) {
  const auto count = [&](CompareVerdict verdict) {
    return std::ranges::count(cases, verdict, &ComparedCase::verdict);
  };
  std::string text = Cat("RDMA is ahead of TCP in ", count(CompareVerdict::kRdmaAhead), " of ", cases.size(),
                         cases.size() == 1 ? " case" : " cases");
  if (const auto behind = count(CompareVerdict::kTcpAhead); behind > 0) text += Cat(", behind in ", behind);
  if (const auto same = count(CompareVerdict::kNoDifference); same > 0)
    text += Cat(", no difference in ", same);
  if (const auto near =
          std::ranges::count_if(cases, [](const ComparedCase& one) { return !one.too_near.empty(); });
      near > 0)
    text += Cat(", too little ahead for the profile in ", near);
  if (const auto unknown = count(CompareVerdict::kUnknown); unknown > 0) text += Cat(", unknown in ", unknown);
  return text;
}

}  // namespace

CompareJudgement JudgeCompare(const CompareRun& run, const Profile& profile) {
  CompareJudgement judged;
  for (const CompareCase& made : run.cases) {
    ComparedCase one = CaseOf(made);
    if (profile.max_tcp_percent && !run.software) JudgeNearness(*profile.max_tcp_percent, one);
    judged.cases.push_back(std::move(one));
  }
  judged.text = Headline(judged.cases);
  if (profile.max_tcp_percent && run.software)
    judged.text += "; max_tcp_percent is not judged of a software device";
  return judged;
}

}  // namespace rdmaready
