// SPDX-License-Identifier: Apache-2.0
// Incast: several senders write to one receiver at once, beside a victim: a transfer at a fixed rate between
// two hosts that have nothing to do with it but the switch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/stress_flow.h"

namespace rdmaready {

enum class IncastVerdict {
  kUnknown,     // the text says why: the machine limits, the victim is noisy, a loss would not be counted
  kLossless,    // nothing was lost, and the victim waits at most twice as long as alone
  kControlled,  // frames were lost, and the receiver still gets most of what it can take, shared fairly
  kCollapsing,
};

struct IncastRun {
  std::string run_id{};
  std::vector<StressFlow> senders{};
  std::optional<StressFlow> victim_alone{};  // measured before
  std::optional<StressFlow> victim_again{};  // and once more: their difference is the noise
  std::optional<StressFlow> victim{};        // beside the incast
  bool victim_shares_a_sender = false;       // then it is shown, and not judged
  std::string victim_elsewhere{};            // why it may not share the senders' switch; then it is not judged
  // Another transfer at the same rate that shares a sender: shown, and never judged.
  std::optional<StressFlow> second_victim_alone{};
  std::optional<StressFlow> second_victim{};
  std::uint64_t drain_bytes_per_s = 0;    // the most that the receiver's port takes; 0: not known
  bool drain_is_given = false;            // by the caller; else it is the rate of the receiver's link
  std::uint64_t offered_bytes_per_s = 0;  // the most that the senders' ports and limits send; 0: not known

  bool operator==(const IncastRun&) const = default;
};

}  // namespace rdmaready
