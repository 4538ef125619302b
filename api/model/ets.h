// SPDX-License-Identifier: Apache-2.0
// Ets test: RDMA and TCP from one host to another, each alone, and then both at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/model/dcb.h"
#include "api/model/stress_flow.h"

namespace rdmaready {

struct EtsRun {
  std::string run_id{};
  StressFlow rdma_alone{};
  StressFlow tcp_alone{};
  StressFlow rdma{};  // beside `tcp`
  StressFlow tcp{};
  std::optional<std::uint8_t> tcp_tos{};   // that was asked for; absent: the packets have none
  std::uint64_t sender_bytes_per_s = 0;    // of the Ethernet link; 0: not known
  std::uint64_t receiver_bytes_per_s = 0;  // the same

  bool operator==(const EtsRun&) const = default;
};

// How the shares beside each other agree with the configured ones.
enum class EtsVerdict {
  kUnknown,  // the text says why
  kKept,
  kBoundedByDemand,  // a class has less than its share, and did not want more
  kNotKept,
};

// The port where the two classes had to wait for each other.
enum class EtsPlace { kUnknown, kSenderNic, kSwitchPort };

// One of the two classes, at the sender and on the wire.
struct EtsClass {
  std::optional<std::uint32_t> priority{};  // absent: not known
  bool counted = false;                     // the NIC counted its packets there; else it follows from the mark
  std::optional<std::uint32_t> traffic_class{};  // by the sender's map
  std::optional<Tsa> selection{};                // of that class
  // Its part of what both classes have together, where both have shares (TSA ets).
  std::optional<std::uint32_t> configured_permille{};
  std::uint64_t alone_bytes_per_s = 0;   // payload
  std::uint64_t beside_bytes_per_s = 0;  // the same, beside the other class
  std::uint32_t share_permille = 0;      // of the wire bytes of both, headers included
  bool bounded_by_demand = false;        // it did not want more: see checks/live/ets.h

  bool operator==(const EtsClass&) const = default;
};

}  // namespace rdmaready
