// SPDX-License-Identifier: Apache-2.0
// tx.effective-class: the end-to-end proof of marking and maps. Packets of a live transfer are counted in some
// priority by the NICs at both ends; it must be the one that the profile gives to RDMA.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/model/profile.h"
#include "api/model/report.h"
#include "api/model/transfer.h"
#include "checks/live/transfer.h"
#include "checks/words/fix.h"

namespace rdmaready {

inline constexpr std::string_view kEffectiveClassId = "tx.effective-class";

// Tells something about a class: all of its payload went one way.
bool ShowsClass(const TransferResult& result);

// Judges four counters: the payload sent and received, and what comes back (acknowledgements of a write,
// requests of a read) sent and received. `ends` are those of JudgeTransfer, the initiator's first.
//
// Packets of others are left out: those that the end counted in an idle interval just before the test, in
// proportion to the lengths. A counter is right where the class of RDMA has at least 99 % of the rest; of few
// packets all but 8 and at least 90 %, since the kernel resolves addresses beside the transfer. It is wrong
// where the class has less and has fewer packets than the transfer had. Where the exact number that comes back
// is not known, it is wrong where more than a tenth is elsewhere. It is unknown
// - where the end counts no priorities, or fewer packets than the transfer had;
// - where others had more than a tenth of the packets, or the end did not measure them;
// - where other traffic may explain the rest.
// The payload has messages x ceil(message_bytes / path MTU of the sending queue pair) packets.
//
// Pass: all four are right. Fail: one is wrong; the first of them on the way decides the remedy. A profile
// without a lossless priority turns a failure into a warning. An older agent reports no path MTU and no idle
// interval: then 4096 bytes for each packet are assumed, failures are found as before, and nothing passes.
Finding JudgeEffectiveClass(const TransferResult& result, const TransferPlace& place,
                            std::span<const EndCounters> ends, const Profile& profile);

// Most of what the sender of a transfer of RoCE v2 sent is in another priority than the profile gives to RDMA,
// by its own counters and without the packets of others. `text` is printable.
struct WrongClass {
  std::uint32_t priority = 0;  // where most of it is
  std::string text{};          // "a's NIC dcb0 puts the frames into priority 0 and not 3: a sent ..."
  Fix fix{};
};

// Nothing where the packets are in the class, or too little is known. It needs no counter of the receiver,
// which may have the packets of several senders.
std::optional<WrongClass> SentElsewhere(const TransferResult& result, const TransferPlace& place,
                                        const EndCounters& sender, const Profile& profile);

// There was no transfer to judge by. `reason` says why.
Finding ClassNotJudged(const TransferPlace& place, std::string_view reason);

}  // namespace rdmaready
