// SPDX-License-Identifier: Apache-2.0
// StressMeasures: samples and idle time of any stress test, from the numbers of its transfers. Pure.
//
// Samples are cut to the measured part of their transfer and weighed by their length. The ends report them in
// the order of time; what a sample covers again does not count. Their numbers come from agents and may be of
// any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/stress_flow.h"

namespace rdmaready {

inline constexpr std::uint32_t kLeastIdlePermille = 250;  // of a host's CPUs
inline constexpr std::uint64_t kMostSampledMs = 600'000;  // of a test: what agents report beyond it is left out

// The measured part, as the result says; at most kMostSampledMs, and so is what follows.
std::uint64_t ElapsedMs(const StressFlow& flow);

// How long the transfer was under way. One that did not get to its end was so for as long as its initiator
// sampled.
std::uint64_t WindowMs(const StressFlow& flow);

struct SampleSpan {
  std::uint64_t begin_ms = 0;
  std::uint64_t end_ms = 0;

  std::uint64_t length_ms() const { return end_ms - begin_ms; }
};

// `sample` is one of the flow, which outlives this.
struct CutSample {
  SampleSpan span{};
  const PressureSample* sample = nullptr;
};

// The samples of the measured part at one end of `flow.counters`, without the time that one covers again.
std::vector<CutSample> CutSamples(const StressFlow& flow, std::size_t end);

// The host that had the least idle time while it sent or received. Without `idle_permille`: one that did not
// report it for half of that time. Nothing where a flow does not have two ends.
struct BusyHost {
  std::string host{};
  std::optional<std::uint32_t> idle_permille{};
};
std::optional<BusyHost> BusiestHost(const std::vector<const StressFlow*>& flows);

// Why the CPUs of a host may have been the limit; empty: each host had kLeastIdlePermille idle. Not yet
// printable.
std::string WhyCpusLimit(const std::vector<const StressFlow*>& flows);

}  // namespace rdmaready
