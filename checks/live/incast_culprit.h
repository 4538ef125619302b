// SPDX-License-Identifier: Apache-2.0
// IncastCulprit: what let the frames of an incast be lost or kept them waiting. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/incast.h"
#include "api/model/profile.h"
#include "checks/live/effective_class.h"
#include "checks/live/transfer.h"
#include "checks/words/fix.h"

namespace rdmaready {

struct IncastCulprit {
  std::string text{};  // printable; empty: nothing is known
  Fix fix{};
};

// `place.lossless` and `place.rdma_priority` are the profile's. The first of: flow or congestion control that
// failed; a place where the counters of a NIC prove a loss; a sender whose NIC has the frames in another
// priority; a sender without PFC; a place that follows from settings. A drop in the receiver's NIC comes after
// the second, since it follows from it.
IncastCulprit FindCulprit(const IncastRun& run, const TransferPlace& place, const Profile& profile);

// The same of a run whose verdict is unknown: control that failed, damage on a wire, or a wrong priority. The
// other losses may be the machines'.
IncastCulprit FindCertainFault(const IncastRun& run, const TransferPlace& place, const Profile& profile);

// The first sender whose NIC has most of the frames in another priority.
std::optional<WrongClass> FindWrongClass(const IncastRun& run, const TransferPlace& place,
                                         const Profile& profile);

// Flow or congestion control failed at an end of the flow.
bool HasControlFault(const StressFlow& flow, const TransferPlace& place);

// The flows by which the network is judged: the senders, and the victim unless it is only shown.
std::vector<const StressFlow*> JudgedFlows(const IncastRun& run);

// Null without a victim, or where it is only shown: it shares a sender, or may not share the switch.
const StressFlow* JudgedVictim(const IncastRun& run);

// The receiver's NIC asked its switch port for pauses of the class.
bool ReceiverAsksForPauses(const IncastRun& run, std::uint32_t priority);

}  // namespace rdmaready
