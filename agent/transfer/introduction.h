// SPDX-License-Identifier: Apache-2.0
// How the two ends of a plain verbs connection introduce their queue pairs, over the conversation of a lane.
#pragma once

#include "absl/status/status.h"
#include "agent/link/link.h"
#include "agent/transfer/session.h"

namespace rdmaready {

// Checks the other end's report of its queue pair, which comes by way of a caller. kSetup names the field that
// cannot be. The number is 2 (1 is the connection manager's) to 24 bits, and the PSN has 24 bits. The MTU is
// one that a port has, the reads are 1 to 255, and the GID is an address.
absl::Status CheckQueuePair(const QueuePairEnd& end);

// "10.0.0.1" of "::ffff:10.0.0.1", as an address is written; empty when it is not one.
std::string AddressOfGid(const std::string& gid);

// Adds to `settings` what a link needs for the connection that the options ask for. `session` outlives the
// calls of the link.
void AddConnection(Session& session, LinkSettings& settings);

// Checks an offer at the initiator. It has a queue pair exactly where the options ask for one, and the GID is
// that of its address. kCancelled where the responder does not know plain connections: the test is not made.
absl::Status CheckEndpoint(const Endpoint& endpoint, const RunOptions& options);

}  // namespace rdmaready
