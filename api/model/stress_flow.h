// SPDX-License-Identifier: Apache-2.0
// StressFlow: one transfer of a stress test, which loads ports beside others of the same test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/model/counter_change.h"
#include "api/model/transfer.h"

namespace rdmaready {

struct StressFlow {
  std::string from{};  // hosts, as the caller named them
  std::string to{};
  TransferResult result{};
  std::vector<EndCounters> counters{};  // of the ends that reported them, the initiator's first
  // Whether RDMA's priority has PFC at the sender's port; absent: not known, or no priority is asked for.
  std::optional<bool> sender_has_pfc{};
  std::string from_ethernet{};  // the Ethernet ports under the two RDMA ports; empty: not known
  std::string to_ethernet{};
  bool software = false;  // either end is a software device

  bool operator==(const StressFlow&) const = default;
};

}  // namespace rdmaready
