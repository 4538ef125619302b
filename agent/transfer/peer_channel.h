// SPDX-License-Identifier: Apache-2.0
// PeerChannel: the seam towards the other end of a test: a thread of this process, or an agent behind
// the caller.
//
// Ordered and reliable while it is open. It may be slow (relayed: milliseconds to seconds), so the engine never
// waits for it inside the measured part. On each end one thread at a time sends, and one at a time receives.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/link/link.h"
#include "api/model/peer_message.h"

namespace rdmaready {

enum class PeerState {
  kQuiet,    // open, nothing to read
  kMessage,  // Receive returns at once
  kClosed,   // the other end or the caller is gone, and everything it said was read
};

class PeerChannel {
 public:
  virtual ~PeerChannel() = default;

  // Does not wait for the message to be read. Fails when the channel is closed (kPeerGone).
  virtual absl::Status Send(const PeerMessage& message) = 0;

  // The next message; DeadlineExceeded when none came in time, kPeerGone when the channel is closed.
  virtual absl::StatusOr<PeerMessage> Receive(TimePoint deadline) = 0;

  // Never blocks, and is cheap: the engine asks every 20 ms or so while bytes move.
  virtual PeerState Poll() = 0;
};

}  // namespace rdmaready
