// SPDX-License-Identifier: Apache-2.0
// IncastSamples: the pressure of an incast, by the samples of its ends. Pure.
//
// Samples are cut to the measured part of their transfer (checks/live/stress_measures.h) and weighed by their
// length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/incast.h"

namespace rdmaready {

// In how much of the time a NIC of the senders or of the receiver was paused or saw congestion marks, or the
// receiver's dropped frames. A sample has as many intervals of kPressureIntervalMs with pressure as it has
// events, at most.
//
// With `missing` (packets were missing) the time in which no sender completed anything and nothing was counted
// does not count: the queue pairs wait for their timeouts. There must be several intervals with pressure
// beside it.
std::uint32_t PressurePermille(const IncastRun& run, bool missing);

// Senders whose samples have neither pauses nor marks: nothing counts them, or it could not be read.
std::vector<std::string> SendersWithoutPressure(const IncastRun& run);

// Marks were seen, and no pause.
bool SawMarksAlone(const IncastRun& run);

// The receiver dropped frames of the class, or without a class, in several intervals. Nothing where its samples
// do not have drops.
std::optional<bool> ReceiverDropsAllAlong(const IncastRun& run);

// The transfer completed nothing in its last two seconds or longer, and a NIC at one of its ends was paused in
// 90 % of that time.
bool WasHeldByPauses(const StressFlow& flow);

}  // namespace rdmaready
