// SPDX-License-Identifier: Apache-2.0
// RdmaLink: the seam towards the RDMA device: one end of ONE reliable connection.
//
// A RdmaLink is used by one thread at a time, for one test: Listen and Accept, or Connect; then registrations
// and work requests; then it is destroyed, which releases everything (connection, queue pair, registrations).
// Registered memory must outlive the RdmaLink or be unregistered first. Every failure is a Status made by
// MakeFailure: it names its kind.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/model/peer_message.h"

namespace rdmaready {

using TimePoint = std::chrono::steady_clock::time_point;

enum class Role { kInitiator, kResponder };

// How long a call of the set-up may take, and what may end it sooner.
struct Patience {
  TimePoint deadline{};  // by `clock`; an RdmaLink itself goes by RealClock()
  // Called about every 50 ms while waiting; anything but OK ends the wait and is returned. May be empty.
  std::function<absl::Status()> interrupted{};
  Clock* clock = &RealClock();
  // Waits until so many bytes may be moved, in production; fails as `interrupted` does. Empty: at once.
  std::function<absl::Status(std::uint64_t bytes)> pace{};
};

// The same, and at most so long from now on.
inline Patience Within(const Patience& patience, std::chrono::nanoseconds longest) {
  Patience shorter = patience;
  shorter.deadline = std::min(patience.deadline, patience.clock->Now() + longest);
  return shorter;
}

// How the ends of a plain verbs connection learn of each other's queue pair: over the control channel of the
// test, which an RdmaLink does not know. Accept calls the first two, Connect the third, once each and on its
// thread.
struct Introduction {
  // Waits for the initiator's end. Its fields are within their bounds, and this end may connect to its GID.
  std::function<absl::StatusOr<QueuePairEnd>()> await{};
  // Reports that the responder receives.
  std::function<absl::Status()> ready{};
  // Reports the initiator's end, and returns when the responder receives.
  std::function<absl::Status(const QueuePairEnd& own)> join{};
};

// How long a packet may go without an acknowledgement before it is sent again: 4.096 us * 2^17 = 0.54 s. With
// six retries a dead path is a completion error after some 4 s, before the stall limit and the deadline of
// every case. The connection manager's own default is beyond them on most devices.
inline constexpr std::uint8_t kAckTimeout = 17;
// A stress test fills queues that take longer than 0.54 s to empty where a port is slow. Packets that were
// never lost would be sent again. So it has 4.3 s there (StressAckTimeout of agent/transfer/limits.h).
inline constexpr std::uint8_t kStressAckTimeout = 20;

// After each acknowledgement timeout. The soft device takes seven retries for "for ever".
inline constexpr std::uint8_t kRetries = 6;

// What the connection must hold at once and how it is used; known before it is made.
struct LinkSettings {
  std::uint32_t sends = 1;  // sends, writes and reads posted and not yet known to be complete
  std::uint32_t receives = 1;
  std::uint32_t windows = 0;  // bindings of windows behind which no send, write or read is known to be complete
  bool busy_poll = false;     // Wait spins on the completion queue instead of sleeping: a core for latency
  std::optional<std::uint8_t> tos{};  // marks the traffic; absent: as the connection manager is configured
  std::uint32_t gather = 1;           // parts of which one send may be put together: 1 or 2
  // How often a send is tried again that finds no receive at the peer. 0: such a send ends the connection.
  std::uint8_t receiver_not_ready_retries = 6;
  std::uint8_t ack_timeout = kAckTimeout;  // 4.096 us * 2^ack_timeout
  std::uint8_t retries = kRetries;         // after each of those; then the connection has failed
  // RDMA reads that Connect asks for: those the peer may have outstanding here, and this end there. No more
  // than the device can.
  std::uint8_t responder_resources = 255;
  std::uint8_t initiator_depth = 255;
  std::uint16_t listen_port = 0;  // of Listen; 0: the system chooses
  // kVerbs: Listen, Accept and Connect make a plain verbs connection, by `introduction`. Else RDMA-CM makes it.
  ConnectionKind connection = ConnectionKind::kRdmaCm;
  Introduction introduction{};
  // Called by Accept and Connect once memory can be registered and receives posted, and before the peer can
  // send; what fails it ends the call. May be empty. No other function of the RdmaLink may be called in it.
  std::function<absl::Status()> before_connected{};
};

// Bytes that the upper protocol sends along with a connection request or its answer: at most 56 (InfiniBand's
// request, less what the connection manager takes).
using PrivateData = std::span<const std::uint8_t>;

// Why a connection did not come about, as far as the fabric tells.
enum class Refusal {
  kNone,        // it did, or was not tried
  kNoDevice,    // no RDMA device of this host leads there
  kUnresolved,  // the address or the route
  kNoAnswer,    // nothing came back in time
  kNoListener,  // there is somebody, but nobody listens on that port by RDMA
  kConsumer,    // who listens said no; the private data may say why
  kOther,       // the connection manager said no: `reject_reason`
};

// What the other end's connection manager told.
struct Handshake {
  Refusal refusal = Refusal::kNone;
  int reject_reason = 0;  // as InfiniBand numbers them; 0: none was told
  // Of the request, of the answer, or of a consumer's refusal. On InfiniBand and RoCE it has the size of its
  // field, zeros behind what was sent (an answer: 196 bytes); on iWARP the size that was sent.
  std::vector<std::uint8_t> private_data{};
  // RDMA reads that both ends agreed on, seen from this end: those of the peer here, and those of this
  // end there.
  std::uint32_t responder_resources = 0;
  std::uint32_t initiator_depth = 0;
};

enum class Access {
  kSendSource,       // the device reads it: send, write
  kReceiveTarget,    // the device writes it: receive
  kReadDestination,  // the device writes it: RDMA read
  kRemoteWrite,      // the peer writes it, and does nothing else with it
  kRemoteRead,       // the peer reads it, and does nothing else with it
  kWindowedWrite,    // the peer writes what a window shows it, and does nothing else with it
};

// A registration; valid until Unregister or the end of its RdmaLink.
struct MemoryId {
  std::uint32_t index = 0;
};

// A window on memory with windowed access; valid until that memory is unregistered or the end of its RdmaLink.
struct WindowId {
  std::uint32_t index = 0;
};

// A part of registered memory. A RdmaLink refuses to post a slice that leaves its registration.
struct Slice {
  MemoryId memory{};
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
};

// Where a write goes to or a read comes from, at the peer.
struct RemoteSlice {
  std::uint64_t address = 0;
  std::uint32_t rkey = 0;
};

// kBind is never told to succeed.
enum class Work : std::uint8_t { kSend, kReceive, kWrite, kRead, kBind };

// A request of the send side. Of an unsignaled one no completion is told: one posted after it tells for it, as
// a connection completes in order; for a read only a read does, which on iWARP's siw others overtake.
struct WorkRequest {
  Work work = Work::kSend;  // neither kReceive nor kBind
  std::uint64_t id = 0;     // below 2^56, comes back in the completion
  Slice local{};
  Slice behind{};        // of a send: what follows `local`, from other memory; nothing when its length is 0
  RemoteSlice remote{};  // of a write or a read
  bool signaled = true;
  // Of a send, where can_invalidate(): the key of the peer's window that is gone when the send arrives. One
  // that is not bound there ends the connection at both ends.
  std::optional<std::uint32_t> invalidate{};
};

// Of a signaled work request or a receive that succeeded; what failed ends Wait.
struct Completion {
  Work work = Work::kSend;
  std::uint64_t id = 0;     // as posted
  std::uint32_t bytes = 0;  // of a receive
  // Of a receive: the key of the window of this end that the peer's send took away.
  std::optional<std::uint32_t> invalidated{};
};

// Empty until connected.
struct LinkFacts {
  std::string local_gid{};
  std::string remote_gid{};
  std::string transport{};  // "roce-v2", "roce-v1", "iwarp", "infiniband", "memory", "tcp"
  Marking marking{};
  std::uint32_t read_depth = 0;  // RDMA reads that may be outstanding at the peer; 0: the device does not tell
  // The payload of a full packet. Absent: iWARP, or the device does not report it.
  std::optional<std::uint32_t> path_mtu_bytes{};
};

class RdmaLink {
 public:
  virtual ~RdmaLink() = default;

  // Listens on a port of `local_address` (numeric, IPv4 or IPv6). kSetup when no RDMA device has it, or the
  // port is taken. A plain verbs connection has no port: the endpoint names this end's queue pair.
  virtual absl::StatusOr<Endpoint> Listen(const std::string& local_address, const LinkSettings& settings) = 0;

  // Waits for the peer that presents `nonce` and rejects everybody else. After the deadline: kRejected when
  // only others came (their number and the last one's address are named), kUnreachable when nobody did.
  virtual absl::Status Accept(const Nonce& nonce, const Patience& patience) = 0;

  // What to answer a connection request with; what fails refuses it.
  using Greeter = std::function<absl::StatusOr<std::vector<std::uint8_t>>(const Handshake& request)>;

  // Admits the first who comes and whom `greet` does not refuse: for an end that plays a server whose clients
  // know no nonce, and for nothing else. Failures as those of Accept.
  virtual absl::Status AcceptAnyone(const Greeter& greet, const Patience& patience) = 0;

  // Connects from `local_address` (empty: the system chooses); `private_data` goes along: the nonce of our own
  // peers, or what a server's protocol asks for. kUnreachable when the address or route does not resolve or
  // nobody answers, kRejected when the other side says no, kSetup for trouble on this side; handshake()
  // tells more.
  virtual absl::Status Connect(const Endpoint& endpoint, PrivateData private_data,
                               const std::string& local_address, const LinkSettings& settings,
                               const Patience& patience) = 0;

  // Of the last Connect or AcceptAnyone, whether or not it succeeded.
  virtual const Handshake& handshake() const = 0;

  // After Accept or Connect, or in `before_connected`. kSetup when the memory cannot be pinned.
  virtual absl::StatusOr<MemoryId> Register(std::span<std::byte> memory, Access access) = 0;
  virtual void Unregister(MemoryId memory) = 0;
  // What the peer needs to reach it; `memory` is a valid registration with a remote access.
  virtual RemoteMemory Remote(MemoryId memory) const = 0;

  // Whether the device has windows that a peer's send can take away, and can take away the peer's. After
  // Accept or Connect, or in `before_connected`; false before.
  virtual bool can_invalidate() const = 0;
  // A window, not bound, on `memory`, which has windowed access. kSetup when there is none to be had.
  virtual absl::StatusOr<WindowId> MakeWindow(MemoryId memory) = 0;
  // Once connected: binds it, which is done before any request that is posted later. What the peer needs to
  // reach `length` bytes from `offset` of its memory, until the peer takes the window away: then it can be
  // bound again, and has another key. kSetup while it is bound, or for what leaves the memory.
  virtual absl::StatusOr<RemoteMemory> Bind(WindowId window, std::uint64_t offset, std::uint32_t length) = 0;

  // `id` (below 2^56) comes back in the completion.
  virtual absl::Status PostReceive(std::uint64_t id, const Slice& to) = 0;
  // Hands all of them to the device, in order and at one go where it can take them so. At most `sends` of the
  // settings may be under way.
  virtual absl::Status Post(std::span<const WorkRequest> requests) = 0;
  absl::Status PostSend(std::uint64_t id, const Slice& from) {
    const WorkRequest request{.work = Work::kSend, .id = id, .local = from};
    return Post({&request, 1});
  }

  // Takes completions, oldest first, sleeping (or spinning) until there is one; 0 when `deadline` passed
  // without any. kCompletion when a work request failed, kDisconnected when the peer or the device left; after
  // that the RdmaLink is only good to destroy.
  virtual absl::StatusOr<std::size_t> Wait(std::span<Completion> completions, TimePoint deadline) = 0;

  // Tells the peer at once that it is over. Harmless when not connected. Describe still tells what was.
  virtual void Disconnect() = 0;

  virtual LinkFacts Describe() const = 0;
};

// A fresh, unconnected end that will have this role, of the queue pair of that number; called on the thread
// that will use it.
using LinkMaker = std::function<std::unique_ptr<RdmaLink>(Role role, std::uint32_t number)>;

}  // namespace rdmaready
