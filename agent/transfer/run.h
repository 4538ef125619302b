// SPDX-License-Identifier: Apache-2.0
// Run: one live test, from the offer to the merged result. The same code serves two agents, two threads of one
// process, and a unit test without a NIC: the engine is given its Links and its PeerChannel.
//
// All functions block their thread until the test is over: at most the case's deadline plus `farewell`, twice
// for the responder. Neither fails by itself: what went wrong stands in the result's failure, which is the same
// on both ends whenever the control channel lived to the end. The RdmaLink must be fresh and is used up.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/link/link.h"
#include "agent/link/pacer.h"
#include "agent/transfer/numbered_log.h"
#include "agent/transfer/numbered_writes.h"
#include "agent/transfer/peer_channel.h"
#include "api/model/cases.h"

namespace rdmaready {

struct RunOptions {
  std::string local_address{};  // of the RDMA port to use, numeric; the initiator may leave it to the system
  bool verify = true;           // compare every byte; both ends must agree. Off: raw speed.
  bool busy_poll = false;       // spin instead of sleeping, at the ends that wait for completions
  std::uint32_t qps = 1;        // queue pairs in each direction; at least 1; both ends must agree
  bool bidirectional = false;   // another transfer the other way at the same time; both ends must agree
  std::optional<std::uint8_t> tos{};  // marks the traffic; absent: as the connection manager is configured
  ConnectionKind connection = ConnectionKind::kRdmaCm;  // both ends must agree
  std::chrono::milliseconds stall_limit{5'000};         // nothing completes for this long: stalled
  // To resolve and connect, without what both ends prepare in between. The connection manager repeats a lost
  // request after 4.6 s: CMA_CM_RESPONSE_TIMEOUT and twice the packet's life time (drivers/infiniband/core/
  // cma.c). That fits in once. An unreachable peer is known after this limit.
  std::chrono::milliseconds connect_limit{6'000};
  // To wait for the other end's last word while the control channel is open: a busy host ends 16 connections in
  // more than 5 s. A host that went away closes the channel.
  std::chrono::milliseconds farewell{15'000};
  // Zero: the set-up counts in the deadline of the case. Else the set-up has so long by itself, since the
  // caller may let other transfers connect in between, and the deadline counts from the start of the measured
  // part.
  std::chrono::milliseconds set_up_limit{};
  std::uint8_t ack_timeout = kAckTimeout;        // LinkSettings::ack_timeout
  std::uint8_t retries = kRetries;               // LinkSettings::retries
  std::uint64_t max_bytes = 64ull << 30;         // the measured part ends there even before its time
  std::stop_token cancel{};                      // the caller gives up; noticed within 100 ms
  std::function<std::string()> why_cancelled{};  // asked then; empty, or an empty answer: the caller gave up
  // In production, one for each direction, which its initiator keeps to; null: at full speed. Both ends have
  // one, or neither: each hears the other's limit, and the test is not made (kCancelled) where one does not say
  // it.
  std::shared_ptr<Pacer> pacer{};
  std::shared_ptr<Pacer> reverse_pacer{};  // of the other direction of a bidirectional test
  // Called by each lane of this end when its measured part begins; may be empty.
  std::function<void()> began{};
  // The caller may let the initiator wait for other transfers, so that it says when it begins: then the
  // responder begins, too. Without, the responder begins when it is ready. Both ends have this, or neither.
  bool says_began = false;
  // With a pacer: a message that ends late counts as well for those whose turns passed while it was under way,
  // each from its own turn. Else a standstill of any length is one latency of many.
  bool counts_missed_turns = false;
  bool keep_intervals = false;      // the result says what moved in each whole interval
  std::uint32_t interval_ms = 100;  // 10, 20, 50 or 100; without keep_intervals 100
  // Numbered writes, that all paths of a run share: at the initiator, with the key of the run, and at the
  // responder. Both ends have theirs, or neither has. `stall_limit` is when a path counts as lost.
  struct Numbered {
    Nonce key{};
    std::shared_ptr<NumberedWrites> writes{};  // of the initiator
    std::shared_ptr<NumberedLog> log{};        // of the responder
  };
  std::optional<Numbered> numbered{};
  // Whether this end may connect where the other end says, which may name any address: the initiator where an
  // offer says, the responder of a plain verbs connection with the GID of the initiator. Empty: it may.
  std::function<absl::Status(const std::string& address)> may_connect{};
};

// Connections of a test.
inline std::uint32_t LanesOf(const RunOptions& options) {
  return options.qps * (options.bidirectional ? 2 : 1);
}

// Writes, reads or sends first. Waits for the responder's offer on `peer`.
TransferResult RunInitiator(const TransferCase& test, RdmaLink& link, PeerChannel& peer,
                            const RunOptions& options);

// Listens on `options.local_address`, which must be given, and admits only the one it made an offer to.
TransferResult RunResponder(const TransferCase& test, RdmaLink& link, PeerChannel& peer,
                            const RunOptions& options);

// Of RunEnd: `reverse` is from the responder to the initiator, if that was asked for.
struct BothWays {
  TransferResult forward{};
  std::optional<TransferResult> reverse{};
};

// Either end, with as many queue pairs and directions as the options say, each on a thread of its own. They
// begin at the same moment in one direction, and within the time of a control message in both. `role` is that
// of the forward direction.
BothWays RunEnd(Role role, const TransferCase& test, const LinkMaker& make_link, PeerChannel& peer,
                const RunOptions& options);

// Both ends in this process; what the initiator's end knows.
BothWays RunLoopback(const TransferCase& test, const LinkMaker& make_link, const RunOptions& options);

}  // namespace rdmaready
