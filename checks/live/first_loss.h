// SPDX-License-Identifier: Apache-2.0
// FirstLoss: where on its way a live test first lost something, by the counters of both ends, and which setting
// lets it happen. Pure.
//
// One direction leads from the sender's NIC over the wire and the switches into the receiver's NIC and its
// queue pair. A direction in which an end missed packets is looked at before the other one, and the payload's
// direction before the way back. The first place whose counter grew is the one. Packets that an end missed
// while neither NIC lost any were lost between them.
//
// A NIC's drops in another priority are others', unless most of the packets came in that priority. Drops that a
// driver counts without a priority may be anybody's: they name the place, and no class. They do not where a
// thousand times as many packets were missed: those few are not the loss.
//
// A NIC whose link goes down drops the frames that wait for it, and some count them. The link is named then,
// and such drops are not a loss unless a packet was missed or sent again.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "api/model/counter_change.h"
#include "api/model/transfer.h"
#include "checks/live/transfer.h"
#include "checks/words/fix.h"

namespace rdmaready {

enum class Hop {
  kSenderNic,      // dropped before the wire
  kWire,           // damaged: seen by the receiver's NIC
  kReceiverNic,    // dropped by its receive buffer
  kReceiverQueue,  // no receive was posted
  kBetween,        // neither NIC lost it: a switch, or the cables to it
  kNotKnown,       // packets were missed, and a NIC does not count what it drops
};

struct FirstLoss {
  Hop hop = Hop::kNotKnown;
  // "first lost in b's NIC dcb0, on the way a -> b: rx_prio3_discards +12". Printable.
  std::string text{};
  Fix fix{};
};

// `ends` are the initiator's and the responder's. Nothing where one of them is missing, nothing was lost, or
// the transport is iWARP: TCP makes good what a network that may lose frames loses.
std::optional<FirstLoss> FindFirstLoss(const TransferResult& result, const TransferPlace& place,
                                       std::span<const EndCounters> ends);

// A NIC dropped frames of the priority that the profile gives to RDMA and wants lossless, when they arrived or
// before it sent them. RoCE alone.
bool LostInClass(const TransferResult& result, const TransferPlace& place, std::span<const EndCounters> ends);

// A NIC dropped frames of nobody knows which priority, where the profile wants RDMA's to be lossless.
bool LostPerhapsInClass(const TransferResult& result, const TransferPlace& place,
                        std::span<const EndCounters> ends);

// The NIC of this end dropped frames while it sent them, and its link stayed up.
bool DroppedUnsent(const EndCounters& end);

// Flow or congestion control that failed although nothing was lost, of RoCE. A NIC paused its partner for too
// long. Frames arrived with a congestion mark, and the receiver sent no notification. The whole link was paused
// where the profile wants one lossless priority. `text` is printable.
struct ControlFault {
  std::string text{};
  Fix fix{};
};
std::optional<ControlFault> FindControlFault(const TransferResult& result, const TransferPlace& place,
                                             std::span<const EndCounters> ends);

}  // namespace rdmaready
