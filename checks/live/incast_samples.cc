// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast_samples.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "checks/live/stress_measures.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kBinMs = 10;
constexpr std::uint64_t kSeveral = 3;        // intervals
constexpr std::uint64_t kCompletedMs = 100;  // of TransferResult::interval_bytes
constexpr std::uint64_t kStandstillMs = 2000;
constexpr std::uint64_t kWhole = 1000;
constexpr std::size_t kReceiver = 1;  // its place in StressFlow::counters
constexpr std::uint64_t kMostOfItPermille = 900;

std::uint64_t Sum(std::uint64_t a, std::uint64_t b) {
  return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
}

bool HasPressure(const PressureSample& sample) { return sample.pauses || sample.marks; }

// The part of a sample that its events fill. Reading the counters takes its time, so a sample is somewhat
// longer than an interval.
SampleSpan PressedPart(const CutSample& cut, std::uint64_t events) {
  const bool one_interval = cut.span.length_ms() < 2 * std::uint64_t{kPressureIntervalMs};
  if (events > 0 && one_interval) return cut.span;
  const std::uint64_t most = std::min<std::uint64_t>(events, kMostSampledMs) * kPressureIntervalMs;
  return {cut.span.begin_ms, cut.span.begin_ms + std::min(cut.span.length_ms(), most)};
}

// A set of moments.
class Moments {
 public:
  void Add(const SampleSpan& span) {
    const std::size_t end = std::min(span.end_ms, kMostSampledMs) / kBinMs;
    bins_.resize(std::max(bins_.size(), end));
    for (std::size_t i = span.begin_ms / kBinMs; i < end; ++i) bins_[i] = true;
  }
  bool Has(std::size_t bin) const { return bin < bins_.size() && bins_[bin]; }
  std::size_t size() const { return bins_.size(); }
  std::uint64_t Milliseconds() const {
    return static_cast<std::uint64_t>(std::ranges::count(bins_, true)) * kBinMs;
  }

 private:
  std::vector<bool> bins_{};
};

// When a sender completed something; nothing where that is not known of one of them.
std::optional<Moments> Completed(const IncastRun& run) {
  Moments moved;
  for (const StressFlow& flow : run.senders) {
    const std::vector<std::uint64_t>& bytes = flow.result.interval_bytes;
    if (bytes.empty()) return std::nullopt;
    const std::size_t most = std::min<std::size_t>(bytes.size(), kMostSampledMs / kCompletedMs);
    for (std::size_t i = 0; i < most; ++i)
      if (bytes[i] > 0) moved.Add({i * kCompletedMs, (i + 1) * kCompletedMs});
  }
  return moved;
}

}  // namespace

std::uint32_t PressurePermille(const IncastRun& run, bool missing) {
  Moments covered;
  Moments pressed;
  for (const StressFlow& flow : run.senders) {
    for (std::size_t end = 0; end < flow.counters.size(); ++end) {
      for (const CutSample& cut : CutSamples(flow, end)) {
        const PressureSample& one = *cut.sample;
        // A sender's NIC drops frames of others.
        const std::uint64_t drops = end == kReceiver ? one.drops.value_or(0) : 0;
        const std::uint64_t events = Sum(Sum(one.pauses.value_or(0), one.marks.value_or(0)), drops);
        covered.Add(cut.span);
        pressed.Add(PressedPart(cut, events));
      }
    }
  }
  std::uint64_t whole_ms = covered.Milliseconds();
  const std::uint64_t pressed_ms = pressed.Milliseconds();
  const std::optional<Moments> completed = missing ? Completed(run) : std::nullopt;
  if (completed && pressed_ms >= kSeveral * kPressureIntervalMs) {
    for (std::size_t i = 0; i < covered.size(); ++i)
      if (covered.Has(i) && !pressed.Has(i) && !completed->Has(i)) whole_ms -= kBinMs;
  }
  return whole_ms == 0 ? 0 : static_cast<std::uint32_t>(pressed_ms * kWhole / whole_ms);
}

std::vector<std::string> SendersWithoutPressure(const IncastRun& run) {
  std::vector<std::string> hosts;
  for (const StressFlow& flow : run.senders) {
    const bool has = !flow.counters.empty() && std::ranges::any_of(flow.counters[0].pressure, HasPressure);
    if (!has) hosts.push_back(flow.from);
  }
  return hosts;
}

bool SawMarksAlone(const IncastRun& run) {
  bool marks = false;
  for (const StressFlow& flow : run.senders) {
    for (const EndCounters& end : flow.counters) {
      for (const PressureSample& sample : end.pressure) {
        if (sample.pauses.value_or(0) > 0) return false;
        marks = marks || sample.marks.value_or(0) > 0;
      }
    }
  }
  return marks;
}

std::optional<bool> ReceiverDropsAllAlong(const IncastRun& run) {
  bool known = false;
  std::uint64_t most = 0;
  for (const StressFlow& flow : run.senders) {
    if (flow.counters.size() != 2) continue;
    std::uint64_t dropping = 0;
    for (const CutSample& cut : CutSamples(flow, kReceiver)) {
      known = known || cut.sample->drops.has_value();
      if (cut.sample->drops.value_or(0) > 0) ++dropping;
    }
    most = std::max(most, dropping);
  }
  if (!known) return std::nullopt;
  return most >= kSeveral;
}

bool WasHeldByPauses(const StressFlow& flow) {
  const std::vector<std::uint64_t>& bytes = flow.result.interval_bytes;
  std::uint64_t last_ms = ElapsedMs(flow);
  const auto moved = std::ranges::find_if(bytes.rbegin(), bytes.rend(), [](auto one) { return one > 0; });
  if (moved != bytes.rend()) {
    const auto count = static_cast<std::uint64_t>(bytes.rend() - moved);
    last_ms = std::min(last_ms, std::min(count, kMostSampledMs) * kCompletedMs + kCompletedMs);
  }
  const std::uint64_t window_ms = WindowMs(flow);
  if (window_ms < last_ms + kStandstillMs) return false;
  Moments paused;
  for (std::size_t end = 0; end < flow.counters.size(); ++end) {
    for (const CutSample& cut : CutSamples(flow, end)) {
      SampleSpan part = PressedPart(cut, cut.sample->pauses.value_or(0));
      part.begin_ms = std::max(part.begin_ms, last_ms);
      if (part.begin_ms < part.end_ms) paused.Add(part);
    }
  }
  return paused.Milliseconds() * kWhole >= (window_ms - last_ms) * kMostOfItPermille;
}

}  // namespace rdmaready
