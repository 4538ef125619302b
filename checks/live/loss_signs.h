// SPDX-License-Identifier: Apache-2.0
// LossSigns: what the counters of one end say about losses on the way of a live test. Pure.
//
// A counter that was reset, or that only one reading has, did not grow here: how far it went is not known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/counter_change.h"

namespace rdmaready {

// The meaning of an RDMA counter that grew, for the way.
enum class LossSign {
  kDroppedBySender,
  kDroppedByReceiver,
  kDamaged,          // on the wire, as the receiver sees it
  kNoBuffer,         // no receive was posted: as the receiver counts it
  kRefusedNoBuffer,  // and as the end that it refuses does
  kMissedRequest,    // of the initiator, as the responder counts it
  kRefusedRequest,   // and as the initiator hears of it
  kMissedResponse,   // as the initiator counts it
  kMarked,           // arrived with a congestion mark
  kNotified,         // a notification was sent for it
  kLinkDown,         // the link of this end went down
};

// All names of RDMA counters that have a sign: each is a row of AllErrorCounters().
std::vector<std::string_view> CountersOfLoss();

// Whether the RDMA counter of that name has the sign.
bool Shows(std::string_view name, LossSign sign);

// Whether the two readings can be compared.
bool IsComparable(const CounterChange& change);

// The growth of counters of one kind.
struct LossGrowth {
  std::uint64_t total = 0;
  std::string text{};    // "rx_prio3_discards +12, ..."; not printable where a name is not
  std::string netdev{};  // of the first of a NIC's

  void Add(const CounterChange& change, const std::string& of = {});
  bool operator!() const { return total == 0; }
};

// The texts one after the other, and the first netdev.
LossGrowth Joined(LossGrowth one, const LossGrowth& other);

// The growth of RDMA counters with that sign, and of counters of a NIC.
LossGrowth Grown(const EndCounters& end, LossSign sign);
LossGrowth Grown(const EndCounters& end, std::initializer_list<NicCounter> counters);

inline bool IsOneOf(NicCounter counter, std::initializer_list<NicCounter> counters) {
  return std::ranges::find(counters, counter) != counters.end();
}

// The growth of those that `wanted` takes.
LossGrowth GrownIf(const EndCounters& end, std::initializer_list<NicCounter> counters, const auto& wanted) {
  LossGrowth growth;
  if (!end.nic) return growth;
  for (const NicChange& one : *end.nic)
    if (IsOneOf(one.counter, counters) && wanted(one)) growth.Add(one.change, one.netdev);
  return growth;
}

// Whether the NIC has a counter of the kind whose two readings can be compared.
bool Counts(const EndCounters& end, std::initializer_list<NicCounter> counters, const auto& wanted) {
  return end.nic && std::ranges::any_of(*end.nic, [&](const NicChange& one) {
           return IsOneOf(one.counter, counters) && IsComparable(one.change) && wanted(one);
         });
}

}  // namespace rdmaready
