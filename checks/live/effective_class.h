// SPDX-License-Identifier: Apache-2.0
// tx.effective-class: the end-to-end proof of marking and maps. Packets of a live transfer are counted in some
// priority by the NICs at both ends; it must be the one that the profile gives to RDMA.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/model/profile.h"
#include "api/model/report.h"
#include "api/model/transfer.h"
#include "checks/live/transfer.h"

namespace rdmaready {

inline constexpr std::string_view kEffectiveClassId = "tx.effective-class";

// Tells something about a class: all of its payload went one way.
bool ShowsClass(const TransferResult& result);

// `ends` are those of JudgeTransfer, the initiator's first. Fail where one of them counted the transfer's
// packets in another priority; pass where the responder counted them in the right one, and the initiator too as
// far as it counts. What comes back (acknowledgements of a write, requests of a read) fails as the payload does
// where it was counted elsewhere, and adds nothing where it was not counted: acknowledgements are few. Unknown
// without counters of priorities, and where less was counted than was moved. Other traffic of the port can hide
// where the packets went, and then nothing is said either.
Finding JudgeEffectiveClass(const TransferResult& result, const TransferPlace& place,
                            std::span<const EndCounters> ends, const Profile& profile);

// There was no transfer to judge by. `reason` says why.
Finding ClassNotJudged(const TransferPlace& place, std::string_view reason);

}  // namespace rdmaready
