// SPDX-License-Identifier: Apache-2.0
// Incast: several senders write to one receiver at once, beside a victim: a transfer at a fixed rate between
// two hosts that have nothing to do with it but the switch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/counter_change.h"
#include "api/model/transfer.h"

namespace rdmaready {

// One transfer of it.
struct IncastFlow {
  std::string from{};  // hosts, as the caller named them
  std::string to{};
  TransferResult result{};
  std::vector<EndCounters> counters{};  // of the ends that reported them, the initiator's first
  // Whether RDMA's priority has PFC at the sender's port; absent: not known, or no priority is asked for.
  std::optional<bool> sender_has_pfc{};
  std::string from_ethernet{};  // the Ethernet ports under the two RDMA ports; empty: not known
  std::string to_ethernet{};
  bool software = false;  // either end is a software device

  bool operator==(const IncastFlow&) const = default;
};

enum class IncastVerdict {
  kUnknown,     // the text says why: the machine limits, the victim is noisy, a loss would not be counted
  kLossless,    // nothing was lost, and the victim waits at most twice as long as alone
  kControlled,  // frames were lost, and the receiver still gets most of what it can take, shared fairly
  kCollapsing,
};

struct IncastRun {
  std::string run_id{};
  std::vector<IncastFlow> senders{};
  std::optional<IncastFlow> victim_alone{};  // measured before
  std::optional<IncastFlow> victim_again{};  // and once more: their difference is the noise
  std::optional<IncastFlow> victim{};        // beside the incast
  bool victim_shares_a_sender = false;       // then it is shown, and not judged
  std::string victim_elsewhere{};            // why it may not share the senders' switch; then it is not judged
  // Another transfer at the same rate that shares a sender: shown, and never judged.
  std::optional<IncastFlow> second_victim_alone{};
  std::optional<IncastFlow> second_victim{};
  std::uint64_t drain_bytes_per_s = 0;    // the most that the receiver's port takes; 0: not known
  bool drain_is_given = false;            // by the caller; else it is the rate of the receiver's link
  std::uint64_t offered_bytes_per_s = 0;  // the most that the senders' ports and limits send; 0: not known

  bool operator==(const IncastRun&) const = default;
};

}  // namespace rdmaready
