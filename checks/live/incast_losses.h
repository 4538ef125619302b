// SPDX-License-Identifier: Apache-2.0
// IncastLosses: what the counters of an incast say about losses, and what they cannot say. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/model/incast.h"
#include "checks/live/transfer.h"

namespace rdmaready {

// The loss of a transfer, by its counters and its end.
enum class Loss {
  kNothing,   // none was counted
  kPerhaps,   // a NIC dropped frames of nobody knows which priority, and nothing else was counted
  kTimeouts,  // packets were sent again after a timeout, and no counter says that one was missing or not sent
  kFrames,    // a drop of the class was counted, or a packet was missing; of iWARP: segments were sent again
};
Loss LossOf(const StressFlow& flow, const TransferPlace& place);

// The drops of Loss::kPerhaps: "rx_dropped.nic +12 of d's NIC eth0". Not yet printable.
std::string DropsWithoutPriority(const StressFlow& flow);

// Why the counters of a write that shows no loss do not say that nothing was lost; empty: they say it. Not yet
// printable.
//
// The initiator has to count. It hears of each gap that the responder sees, and it alone knows of a last packet
// that was lost, by its timeout. On RoCE and InfiniBand it needs both counters: mlx5, bnxt_re and rxe have
// them. On iWARP it needs the segments that TCP sends again: irdma and cxgb4 have them. irdma with RoCE, hns,
// erdma, efa and siw have none of these (Linux 6.12).
std::string WhyLossNotCounted(const StressFlow& flow);

// A NIC counted drops that hold the senders back as a queue does: of the class, or without a priority at the
// receiver in several intervals.
bool DropsCounted(const IncastRun& run, const TransferPlace& place);

}  // namespace rdmaready
