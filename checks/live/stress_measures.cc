// SPDX-License-Identifier: Apache-2.0
#include "checks/live/stress_measures.h"

#include <algorithm>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kAllPermille = 1000;

std::optional<std::uint32_t> IdleOf(const StressFlow& flow, std::size_t end) {
  constexpr std::uint64_t kLeastShare = 2;
  std::uint64_t known_ms = 0;
  std::uint64_t sum = 0;
  for (const CutSample& cut : CutSamples(flow, end)) {
    if (!cut.sample->idle_permille) continue;
    known_ms += cut.span.length_ms();
    sum += std::min<std::uint64_t>(*cut.sample->idle_permille, kAllPermille) * cut.span.length_ms();
  }
  if (known_ms == 0 || known_ms * kLeastShare < WindowMs(flow)) return std::nullopt;
  return static_cast<std::uint32_t>(sum / known_ms);
}

}  // namespace

std::uint64_t ElapsedMs(const StressFlow& flow) {
  const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(flow.result.elapsed_ns, 0));
  return std::min(ns / 1'000'000, kMostSampledMs);
}

std::uint64_t WindowMs(const StressFlow& flow) {
  std::uint64_t window = ElapsedMs(flow);
  if ((flow.result.failure.kind == FailureKind::kNone && window > 0) || flow.counters.empty()) return window;
  for (const PressureSample& sample : flow.counters[0].pressure)
    window = std::max(window, std::min(std::uint64_t{sample.begin_ms} + sample.length_ms, kMostSampledMs));
  return window;
}

std::vector<CutSample> CutSamples(const StressFlow& flow, std::size_t end) {
  std::vector<CutSample> cut;
  const std::uint64_t window = WindowMs(flow);
  std::uint64_t covered = 0;
  for (const PressureSample& sample : flow.counters[end].pressure) {
    const std::uint64_t begin = std::max<std::uint64_t>(sample.begin_ms, covered);
    const std::uint64_t stop = std::min(std::uint64_t{sample.begin_ms} + sample.length_ms, window);
    if (begin >= stop) continue;
    cut.push_back({{begin, stop}, &sample});
    covered = stop;
  }
  return cut;
}

std::optional<BusyHost> BusiestHost(const std::vector<const StressFlow*>& flows) {
  std::optional<BusyHost> busiest;
  for (const StressFlow* flow : flows) {
    if (flow->counters.size() != 2) return std::nullopt;
    for (std::size_t end = 0; end < flow->counters.size(); ++end) {
      const BusyHost one{flow->counters[end].host, IdleOf(*flow, end)};
      if (!one.idle_permille) return one;
      if (!busiest || *one.idle_permille < *busiest->idle_permille) busiest = one;
    }
  }
  return busiest;
}

std::string WhyCpusLimit(const std::vector<const StressFlow*>& flows) {
  const std::optional<BusyHost> busiest = BusiestHost(flows);
  if (!busiest) return "an end did not report its counters";
  if (!busiest->idle_permille)
    return Cat(busiest->host, " did not report for half of the time how busy its CPUs were");
  if (*busiest->idle_permille >= kLeastIdlePermille) return {};
  return Cat("the machine limits: CPUs of ", busiest->host, " were idle for ",
             ShareText(*busiest->idle_permille), " of the time, wanted ", ShareText(kLeastIdlePermille));
}

}  // namespace rdmaready
