// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast_measures.h"

#include <algorithm>
#include <limits>

namespace rdmaready {

std::vector<const StressFlow*> Together(const IncastRun& run) {
  std::vector<const StressFlow*> flows;
  for (const StressFlow& flow : run.senders) flows.push_back(&flow);
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

std::uint64_t GoodputOf(const std::vector<StressFlow>& senders) {
  std::uint64_t sum = 0;
  for (const StressFlow& flow : senders) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - sum;
    sum += std::min(flow.result.throughput_bytes_per_s, room);
  }
  return sum;
}

double JainIndex(const std::vector<StressFlow>& senders) {
  double sum = 0;
  double squares = 0;
  for (const StressFlow& flow : senders) {
    const auto rate = static_cast<double>(flow.result.throughput_bytes_per_s);
    sum += rate;
    squares += rate * rate;
  }
  return squares > 0 ? sum * sum / (squares * static_cast<double>(senders.size())) : 0;
}

bool HasMeasured(const StressFlow& flow) {
  return flow.result.failure.kind == FailureKind::kNone && flow.result.messages > 0 &&
         flow.result.latency.p99_ns > 0;
}

VictimMeasure MeasureVictim(const IncastRun& run) {
  VictimMeasure measure;
  if (!run.victim_alone || !run.victim_again || !HasMeasured(*run.victim_alone) ||
      !HasMeasured(*run.victim_again))
    return measure;
  const auto p99 = [](const StressFlow& flow) { return static_cast<double>(flow.result.latency.p99_ns); };
  const auto [least, most] = std::minmax({p99(*run.victim_alone), p99(*run.victim_again)});
  measure.noise = most / least;
  if (run.victim && HasMeasured(*run.victim)) measure.growth = p99(*run.victim) / most;
  return measure;
}

}  // namespace rdmaready
