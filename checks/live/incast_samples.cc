// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast_samples.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "checks/live/incast_measures.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kMostMs = 600'000;  // of a test: what agents report beyond it is left out
constexpr std::uint64_t kBinMs = 10;
constexpr std::uint64_t kSeveral = 3;        // intervals
constexpr std::uint64_t kCompletedMs = 100;  // of TransferResult::interval_bytes
constexpr std::uint64_t kStandstillMs = 2000;
constexpr std::uint64_t kWhole = 1000;
constexpr std::size_t kReceiver = 1;  // its place in IncastFlow::counters
constexpr std::uint64_t kMostOfItPermille = 900;

std::uint64_t MillisecondsOf(std::int64_t ns) {
  return std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)) / 1'000'000, kMostMs);
}

std::uint64_t Sum(std::uint64_t a, std::uint64_t b) {
  return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
}

// How long the transfer was under way. One that did not get to its end was so for as long as its initiator
// sampled.
std::uint64_t WindowMs(const IncastFlow& flow) {
  std::uint64_t window = MillisecondsOf(flow.result.elapsed_ns);
  if ((flow.result.failure.kind == FailureKind::kNone && window > 0) || flow.counters.empty()) return window;
  for (const PressureSample& sample : flow.counters[0].pressure)
    window = std::max(window, std::min(std::uint64_t{sample.begin_ms} + sample.length_ms, kMostMs));
  return window;
}

struct Span {
  std::uint64_t begin_ms = 0;
  std::uint64_t end_ms = 0;

  std::uint64_t length_ms() const { return end_ms - begin_ms; }
};

struct CutSample {
  Span span{};
  const PressureSample* sample = nullptr;
};

// The samples of the measured part at one end, none of them twice.
std::vector<CutSample> CutSamples(const IncastFlow& flow, std::size_t end) {
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

bool HasPressure(const PressureSample& sample) { return sample.pauses || sample.marks; }

// The part of a sample that its events fill. Reading the counters takes its time, so a sample is somewhat
// longer than an interval.
Span PressedPart(const CutSample& cut, std::uint64_t events) {
  const bool one_interval = cut.span.length_ms() < 2 * kPressureIntervalMs;
  if (events > 0 && one_interval) return cut.span;
  const std::uint64_t most = std::min<std::uint64_t>(events, kMostMs) * kPressureIntervalMs;
  return {cut.span.begin_ms, cut.span.begin_ms + std::min(cut.span.length_ms(), most)};
}

// A set of moments.
class Moments {
 public:
  void Add(const Span& span) {
    const std::size_t end = std::min(span.end_ms, kMostMs) / kBinMs;
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
  for (const IncastFlow& flow : run.senders) {
    const std::vector<std::uint64_t>& bytes = flow.result.interval_bytes;
    if (bytes.empty()) return std::nullopt;
    const std::size_t most = std::min<std::size_t>(bytes.size(), kMostMs / kCompletedMs);
    for (std::size_t i = 0; i < most; ++i)
      if (bytes[i] > 0) moved.Add({i * kCompletedMs, (i + 1) * kCompletedMs});
  }
  return moved;
}

std::optional<std::uint32_t> IdleOf(const IncastFlow& flow, std::size_t end) {
  constexpr std::uint64_t kLeastShare = 2;
  std::uint64_t known_ms = 0;
  std::uint64_t sum = 0;
  for (const CutSample& cut : CutSamples(flow, end)) {
    if (!cut.sample->idle_permille) continue;
    known_ms += cut.span.length_ms();
    sum += std::min<std::uint64_t>(*cut.sample->idle_permille, kWhole) * cut.span.length_ms();
  }
  if (known_ms == 0 || known_ms * kLeastShare < WindowMs(flow)) return std::nullopt;
  return static_cast<std::uint32_t>(sum / known_ms);
}

}  // namespace

std::uint32_t PressurePermille(const IncastRun& run, bool missing) {
  Moments covered;
  Moments pressed;
  for (const IncastFlow& flow : run.senders) {
    for (std::size_t end = 0; end < flow.counters.size(); ++end) {
      for (const CutSample& cut : CutSamples(flow, end)) {
        const PressureSample& one = *cut.sample;
        // What a sender's NIC drops comes from others.
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
  for (const IncastFlow& flow : run.senders) {
    const bool has = !flow.counters.empty() && std::ranges::any_of(flow.counters[0].pressure, HasPressure);
    if (!has) hosts.push_back(flow.from);
  }
  return hosts;
}

bool SawMarksAlone(const IncastRun& run) {
  bool marks = false;
  for (const IncastFlow& flow : run.senders) {
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
  for (const IncastFlow& flow : run.senders) {
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

std::optional<BusyHost> BusiestHost(const IncastRun& run) {
  std::optional<BusyHost> busiest;
  for (const IncastFlow* flow : Together(run)) {
    if (flow->counters.size() != 2) return std::nullopt;
    for (std::size_t end = 0; end < flow->counters.size(); ++end) {
      const BusyHost one{flow->counters[end].host, IdleOf(*flow, end)};
      if (!one.idle_permille) return one;
      if (!busiest || *one.idle_permille < *busiest->idle_permille) busiest = one;
    }
  }
  return busiest;
}

bool StoodStillPaused(const IncastFlow& flow) {
  const std::vector<std::uint64_t>& bytes = flow.result.interval_bytes;
  std::uint64_t last_ms = MillisecondsOf(flow.result.elapsed_ns);
  const auto moved = std::ranges::find_if(bytes.rbegin(), bytes.rend(), [](auto one) { return one > 0; });
  if (moved != bytes.rend()) {
    const auto count = static_cast<std::uint64_t>(bytes.rend() - moved);
    last_ms = std::min(last_ms, std::min(count, kMostMs) * kCompletedMs + kCompletedMs);
  }
  const std::uint64_t window_ms = WindowMs(flow);
  if (window_ms < last_ms + kStandstillMs) return false;
  Moments paused;
  for (std::size_t end = 0; end < flow.counters.size(); ++end) {
    for (const CutSample& cut : CutSamples(flow, end)) {
      Span part = PressedPart(cut, cut.sample->pauses.value_or(0));
      part.begin_ms = std::max(part.begin_ms, last_ms);
      if (part.begin_ms < part.end_ms) paused.Add(part);
    }
  }
  return paused.Milliseconds() * kWhole >= (window_ms - last_ms) * kMostOfItPermille;
}

}  // namespace rdmaready
