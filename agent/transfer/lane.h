// SPDX-License-Identifier: Apache-2.0
// Lane: one queue pair's part of a test, in one direction: its own connection, conversation and thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/transfer/histogram.h"
#include "agent/transfer/run.h"
#include "agent/transfer/session.h"
#include "agent/transfer/start_gate.h"

namespace rdmaready {

// What a lane measured, in a form that can be added up. The initiator's alone has latencies and intervals.
struct LaneEnd {
  TransferResult result{};
  std::int64_t begun_ns = 0;  // steady clock of this process; of no meaning where elapsed_ns is 0
  Histogram latencies{};
  std::vector<std::uint64_t> interval_bytes{};
};

// As RunInitiator and RunResponder, beside other lanes. `gate` may be null: there are none.
LaneEnd RunInitiatorLane(const TransferCase& test, RdmaLink& link, PeerChannel& peer, const RunOptions& options,
                         StartGate* gate);
LaneEnd RunResponderLane(const TransferCase& test, RdmaLink& link, PeerChannel& peer, const RunOptions& options,
                         StartGate* gate);

// The lanes of one direction as one result. Its time is from the first lane's beginning to the last lane's end:
// a thread may get its processor late. Pure; `lanes` is not empty. An offset of a wrong byte stays what it is
// in its lane.
TransferResult MergeLanes(std::span<const LaneEnd> lanes);

}  // namespace rdmaready
