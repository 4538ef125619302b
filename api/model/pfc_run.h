// SPDX-License-Identifier: Apache-2.0
// PfcRun: a test of whether a NIC obeys priority-based flow control (PFC). One host pauses one priority of its
// link partner, while the partner sends to it in that priority and in another one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/stress_flow.h"

namespace rdmaready {

enum class PfcVerdict {
  kUnknown,   // the text says why
  kObeys,     // the paused priority stops, the other goes on
  kGoesOn,    // the paused priority does not stop
  kStopsAll,  // the other one stops, too
};

// One burst of pauses, as its sender reports it.
struct PauseBurst {
  std::uint32_t frames = 0;
  std::int64_t paused_ns = 0;  // how long they ask for
  bool ended = false;          // by a frame of zero quanta

  bool operator==(const PauseBurst&) const = default;
  void Fields(auto& list) const { list("frames", frames, "paused_ns", paused_ns, "ended", ended); }
};

struct PfcRun {
  std::string run_id{};
  std::string pauser{};  // hosts, as the caller named them
  std::string judged{};
  std::uint32_t priority = 0;  // that is paused
  std::string link{};          // how the caller knows that a cable is between the two
  bool link_is_heard = false;  // by LLDP; else the profile says so
  std::int64_t burst_ns = 0;   // that each burst was to take
  std::int64_t gap_ns = 0;     // that was to be between the end of a burst and the next one
  std::vector<PauseBurst> bursts{};
  std::string pause_failure{};  // why not all of them were sent; empty: they were
  // The time in which they were sent, from the start of the transfers, as the caller saw it.
  std::int64_t pauses_from_ns = 0;
  std::int64_t pauses_until_ns = 0;
  StressFlow paused{};  // from the judged host
  StressFlow beside{};  // the same way, in another priority

  bool operator==(const PfcRun&) const = default;
};

}  // namespace rdmaready
