// SPDX-License-Identifier: Apache-2.0
// Action: what a Connection asks of the one who drives it. The driver appends nothing, reorders nothing and
// executes them one by one, in order: a grant in a Send counts on the PostReceives before it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "agent/smbdirect/negotiate.h"
#include "agent/smbdirect/reason.h"
#include "agent/smbdirect/wire.h"

namespace rdmaready::smbdirect {

using TimePoint = std::chrono::steady_clock::time_point;

// Post receive buffer `buffer`: below ReceiveBufferCount(), with ReceiveBufferBytes() bytes. Its completion is
// Connection::Received. When posting fails: execute no further action and call TransportFailed.
struct PostReceive {
  std::uint32_t buffer = 0;
};

// Post one send of head() followed by `payload`. The payload is not copied: it lies in memory that was given to
// Submit, so a driver that registered that memory sends it in place (two gather entries), and another one
// copies it behind the head. `slot` counts from 0 to max_sends_in_flight - 1 and is free again at this send's
// completion: the place for a copy of the head, which does not outlive the action. Its completion
// is Connection::SendDone.
struct Send {
  std::array<std::byte, kNegotiateResponseBytes> head_bytes{};
  std::uint32_t head_size = 0;
  std::uint32_t slot = 0;
  Bytes payload{};
  std::optional<std::uint32_t> invalidate{};  // send with invalidate of this token of the peer
  bool solicited = false;                     // wakes a peer that sleeps until a solicited event

  Bytes head() const { return Bytes(head_bytes).first(head_size); }
};

// Post one RDMA read of local.size() bytes; `local` lies in memory that was given to ReadFromPeer. Its
// completion is Connection::ReadDone.
struct RdmaRead {
  std::span<std::byte> local{};
  std::uint64_t address = 0;
  std::uint32_t token = 0;
};

// The same for an RDMA write: WriteToPeer, Connection::WriteDone.
struct RdmaWrite {
  Bytes local{};
  std::uint64_t address = 0;
  std::uint32_t token = 0;
};

// The negotiation is complete: Submit, ReadFromPeer and WriteToPeer are open.
struct Established {
  Agreement agreement{};
};

// A message of the upper layer. The bytes are good while this action is executed: they may lie in the receive
// buffer that the next action posts again.
struct Deliver {
  Bytes message{};
  std::optional<std::uint32_t> invalidated{};  // our token that the peer invalidated with it, where it is known
};

// The memory given to Submit under this cookie is no longer used: all its fragments completed.
struct Submitted {
  std::uint64_t cookie = 0;
};

// The RDMA request given under this cookie is complete.
struct RdmaComplete {
  std::uint64_t cookie = 0;
};

// Call Connection::TimerExpired at `at`, or soon after. Replaces the time set before.
struct SetTimer {
  TimePoint at{};
};

// The connection is over: disconnect. The last action ever. Messages and requests not reported complete never
// will be; their memory may be touched by the device until the queue pair is gone.
struct Disconnect {
  EndReason reason{};
  std::uint32_t status = kStatusSuccess;  // NTSTATUS of a refusal, received or sent
};

using Action = std::variant<PostReceive, Send, RdmaRead, RdmaWrite, Established, Deliver, Submitted,
                            RdmaComplete, SetTimer, Disconnect>;
using Actions = std::vector<Action>;

}  // namespace rdmaready::smbdirect
