// SPDX-License-Identifier: Apache-2.0
// Merge: one result out of what both ends saw. Pure.
#pragma once

#include <optional>

#include "api/model/peer_message.h"
#include "api/model/transfer.h"

namespace rdmaready {

// One end's own view of a test.
struct EndView {
  TransferCounts counts{};
  TransferResult result{};  // the responder's holds only verified and wrong bytes, CPU time and failure
};

// The initiator's numbers with the responder's verification, CPU time and failure. The responder's view came
// from the network: absent (nothing was heard), impossible or contradictory, it yields a failure rather than a
// number. Adds what neither end can see alone: messages complete at one end that never arrived at the other
// (kLost), and bytes that nobody compared although `verify` asked for it.
TransferResult Merge(const EndView& initiator, const std::optional<EndView>& responder, bool verify);

// Text and numbers of a peer made safe to keep and to print: lengths bounded, control characters replaced.
TransferResult Sanitized(TransferResult result);

}  // namespace rdmaready
