// SPDX-License-Identifier: Apache-2.0
// EtsPlan: a complete ETS configuration that gives RDMA a class of its own and its share, changing no more of
// what is there than it must. The kernel's drivers take ETS only as a whole, with shares that sum to 100.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/model/facts.h"

namespace rdmaready {

struct EtsPlan {
  std::array<Tsa, kPriorities> tsa{};                  // by traffic class
  std::array<std::uint8_t, kPriorities> tx_percent{};  // by traffic class
  std::array<std::uint8_t, kPriorities> prio_tc{};     // by priority

  bool operator==(const EtsPlan&) const = default;
};

// Number of traffic classes; a driver that reports none has the eight of the standard.
std::uint8_t ClassCount(const Ets& ets);

// `rdma_priority` is 1..7 (priority 0 is everybody else's), `rdma_percent` 0..100. `contiguous`: the NIC wants
// its classes numbered from 0 without gaps (Intel E810).
EtsPlan PlanEts(const Ets& now, std::uint8_t rdma_priority, std::uint8_t rdma_percent, bool contiguous);

// "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3".
std::string EtsCommand(const EtsPlan& plan, std::string_view netdev_word);

}  // namespace rdmaready
