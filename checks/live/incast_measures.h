// SPDX-License-Identifier: Apache-2.0
// IncastMeasures: losses, pressure, idle time, shares and the victim's delay, from the numbers of an incast.
// Pure. The numbers come from agents, so none of them is trusted to be in range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/incast.h"
#include "checks/live/transfer.h"

namespace rdmaready {

// The flows that ran at the same time: the senders, then the victim.
std::vector<const IncastFlow*> Together(const IncastRun& run);

// The loss of a transfer, by its counters and its end.
enum class Loss {
  kNothing,
  kTimeouts,  // packets were sent again after a timeout, and no counter says that one was missing or not sent
  kFrames,    // a drop was counted, a packet was missing, or the connection broke
};
Loss LossOf(const IncastFlow& flow, const TransferPlace& place);

// Whether the way between the two hosts may have ended the transfer like this. Else the transfer was not made.
bool IsOfTheNetwork(FailureKind kind);

// In what share of the intervals of the measured part a NIC of the senders or of the receiver was paused, or
// saw congestion marks or drops.
std::uint32_t PressurePermille(const IncastRun& run);

// The host that had the least idle time while it sent or received. Nothing where an end reported less
// than a quarter of the samples of that time.
struct BusyHost {
  std::string host{};
  std::uint32_t idle_permille = 1000;
};
std::optional<BusyHost> BusiestHost(const IncastRun& run);

std::uint64_t GoodputOf(const std::vector<IncastFlow>& senders);  // bytes per second of all together
double JainIndex(const std::vector<IncastFlow>& senders);         // 1 is equal; 0: nothing was sent

// `noise`: of the two measurements alone, the larger p99 by the smaller. `growth`: the p99 beside the incast by
// the larger one alone. Nothing where a transfer failed or measured nothing.
struct VictimMeasure {
  std::optional<double> noise{};
  std::optional<double> growth{};
};
VictimMeasure MeasureVictim(const IncastRun& run);

// Whether it was carried to its end and has a latency.
bool HasMeasured(const IncastFlow& flow);

}  // namespace rdmaready
