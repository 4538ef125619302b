// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast_measures.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>

#include "checks/counted/error_counters.h"
#include "checks/live/first_loss.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kIntervalNs = std::int64_t{kPressureIntervalMs} * 1'000'000;
constexpr std::uint32_t kWhole = 1000;

// Intervals of the measured part; at least one.
std::size_t IntervalsOf(const IncastFlow& flow) {
  return static_cast<std::size_t>(std::max<std::int64_t>(flow.result.elapsed_ns / kIntervalNs, 1));
}

bool IsPressed(const PressureSample& sample) {
  return sample.pauses > 0 || sample.marks > 0 || sample.drops > 0;
}

// The samples of the measured part at one end. The initiator begins to sample with it. The responder begins
// when it is ready, before the caller lets the initiator begin. Both end together, while they exchange their
// results.
std::span<const PressureSample> SamplesOf(const IncastFlow& flow, std::size_t end) {
  std::span<const PressureSample> samples(flow.counters[end].pressure);
  const std::size_t of_initiator = flow.counters[0].pressure.size();
  if (samples.size() > of_initiator) samples = samples.last(of_initiator);
  const bool nothing_completed = flow.result.elapsed_ns <= 0;
  return nothing_completed ? samples : samples.first(std::min(samples.size(), IntervalsOf(flow)));
}

std::optional<std::uint32_t> IdleOf(const IncastFlow& flow, std::size_t end) {
  const std::span<const PressureSample> samples = SamplesOf(flow, end);
  // A host that answers slowly has fewer and longer intervals.
  constexpr std::size_t kLeastShare = 4;
  if (samples.empty() || samples.size() * kLeastShare < IntervalsOf(flow)) return std::nullopt;
  std::uint64_t sum = 0;
  for (const PressureSample& sample : samples) sum += std::min(sample.idle_permille, kWhole);
  return static_cast<std::uint32_t>(sum / samples.size());
}

}  // namespace

std::vector<const IncastFlow*> Together(const IncastRun& run) {
  std::vector<const IncastFlow*> flows;
  for (const IncastFlow& flow : run.senders) flows.push_back(&flow);
  if (run.victim) flows.push_back(&*run.victim);
  return flows;
}

bool IsOfTheNetwork(FailureKind kind) {
  switch (kind) {
    case FailureKind::kNone:
    case FailureKind::kLost:
    case FailureKind::kStalled:
    case FailureKind::kCompletion:
    case FailureKind::kDisconnected:
    case FailureKind::kCorrupt:
      return true;
    case FailureKind::kUnknown:
    case FailureKind::kSetup:
    case FailureKind::kRejected:
    case FailureKind::kUnreachable:
    case FailureKind::kPeerGone:
    case FailureKind::kCancelled:
      return false;
  }
  return false;
}

Loss LossOf(const IncastFlow& flow, const TransferPlace& place) {
  const FailureKind kind = flow.result.failure.kind;
  if (kind == FailureKind::kLost || kind == FailureKind::kCompletion) return Loss::kFrames;
  if (LostInClass(flow.result, place, flow.counters) || ShowMissing(flow.counters)) return Loss::kFrames;
  if (!ShowLoss(flow.counters)) return Loss::kNothing;
  return std::ranges::any_of(flow.counters, DroppedUnsent) ? Loss::kFrames : Loss::kTimeouts;
}

std::uint32_t PressurePermille(const IncastRun& run) {
  std::vector<bool> pressed;
  for (const IncastFlow& flow : run.senders) {
    for (std::size_t end = 0; end < flow.counters.size(); ++end) {
      const std::span<const PressureSample> samples = SamplesOf(flow, end);
      pressed.resize(std::max(pressed.size(), samples.size()));
      for (std::size_t i = 0; i < samples.size(); ++i) pressed[i] = pressed[i] || IsPressed(samples[i]);
    }
  }
  if (pressed.empty()) return 0;
  const auto count = static_cast<std::size_t>(std::ranges::count(pressed, true));
  return static_cast<std::uint32_t>(count * kWhole / pressed.size());
}

std::optional<BusyHost> BusiestHost(const IncastRun& run) {
  BusyHost busiest;
  for (const IncastFlow* flow : Together(run)) {
    if (flow->counters.size() != 2) return std::nullopt;
    for (std::size_t end = 0; end < flow->counters.size(); ++end) {
      const std::optional<std::uint32_t> idle = IdleOf(*flow, end);
      if (!idle) return std::nullopt;
      if (*idle < busiest.idle_permille) busiest = {flow->counters[end].host, *idle};
    }
  }
  return busiest;
}

std::uint64_t GoodputOf(const std::vector<IncastFlow>& senders) {
  std::uint64_t sum = 0;
  for (const IncastFlow& flow : senders) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - sum;
    sum += std::min(flow.result.throughput_bytes_per_s, room);
  }
  return sum;
}

double JainIndex(const std::vector<IncastFlow>& senders) {
  double sum = 0;
  double squares = 0;
  for (const IncastFlow& flow : senders) {
    const auto rate = static_cast<double>(flow.result.throughput_bytes_per_s);
    sum += rate;
    squares += rate * rate;
  }
  return squares > 0 ? sum * sum / (squares * static_cast<double>(senders.size())) : 0;
}

bool HasMeasured(const IncastFlow& flow) {
  return flow.result.failure.kind == FailureKind::kNone && flow.result.messages > 0 &&
         flow.result.latency.p99_ns > 0;
}

VictimMeasure MeasureVictim(const IncastRun& run) {
  VictimMeasure measure;
  if (!run.victim_alone || !run.victim_again || !HasMeasured(*run.victim_alone) ||
      !HasMeasured(*run.victim_again))
    return measure;
  const auto p99 = [](const IncastFlow& flow) { return static_cast<double>(flow.result.latency.p99_ns); };
  const auto [least, most] = std::minmax({p99(*run.victim_alone), p99(*run.victim_again)});
  measure.noise = most / least;
  if (run.victim && HasMeasured(*run.victim)) measure.growth = p99(*run.victim) / most;
  return measure;
}

}  // namespace rdmaready
