// SPDX-License-Identifier: Apache-2.0
// IncastMeasures: shares of the senders and the victim's delay, from the numbers of an incast. Pure. The
// numbers come from agents, so none of them is trusted to be in range.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/model/incast.h"

namespace rdmaready {

// The flows that ran at the same time: the senders, then the victim.
std::vector<const StressFlow*> Together(const IncastRun& run);

// Whether the way between the two hosts may have ended the transfer like this. Else the transfer was not made.
bool IsOfTheNetwork(FailureKind kind);

std::uint64_t GoodputOf(const std::vector<StressFlow>& senders);  // bytes per second of all together
double JainIndex(const std::vector<StressFlow>& senders);         // 1 is equal; 0: nothing was sent

// `noise`: of the two measurements alone, the larger p99 by the smaller. `growth`: the p99 beside the incast by
// the larger one alone. Nothing where a transfer failed or measured nothing.
struct VictimMeasure {
  std::optional<double> noise{};
  std::optional<double> growth{};
};
VictimMeasure MeasureVictim(const IncastRun& run);

// Whether it was carried to its end and has a latency.
bool HasMeasured(const StressFlow& flow);

}  // namespace rdmaready
