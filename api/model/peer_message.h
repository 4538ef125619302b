// SPDX-License-Identifier: Apache-2.0
// PeerMessage: what the two ends of a live test tell each other beside the data path.
//
//   responder: kOffer, kReady, kView          initiator: kDone, kResult
//
// In production the initiator begins with kLimit, and the responder's offer says its own limit: the smaller one
// holds. An end that hears nothing of a limit then refuses the test, since the other end would not keep to it.
// With a plain verbs connection the initiator's kJoin and the responder's kJoined are between kOffer and
// kReady.
//
// In a stress test the caller may hold kReady back, and the initiator says kBegan when it begins.
//
// Agents with TLS wrap each of them: both say kHello first, and everything after that is a kSigned.
//
// kView may replace any earlier message of the responder and kResult any of the initiator: both mean "it is
// over for me, this is what I saw". A flat value: which fields count depends on the kind, the others keep
// their defaults.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "api/model/transfer.h"

namespace rdmaready {

// 128 random bits, fresh for each test: admits the peer and keys the payload pattern.
using Nonce = std::array<std::uint8_t, 16>;

// One end of a plain verbs connection, for the other end's queue pair. Empty with RDMA-CM.
struct QueuePairEnd {
  std::string gid{};                 // "::ffff:10.0.0.1"
  std::uint32_t number = 0;          // 24 bits; 0: there is none
  std::uint32_t psn = 0;             // of its first packet; 24 bits
  std::uint32_t path_mtu_bytes = 0;  // the largest payload of a packet that its port takes
  std::uint32_t reads = 0;           // RDMA reads that it answers at a time

  bool operator==(const QueuePairEnd&) const = default;
};

// Where the responder listens for the RDMA connection.
struct Endpoint {
  std::string address{};      // numeric
  std::uint16_t port = 0;     // RDMA-CM, TCP port space; 0: a plain verbs connection
  QueuePairEnd queue_pair{};  // of that

  bool operator==(const Endpoint&) const = default;
};

// A buffer of the responder that the initiator may write to or read from while the test lasts.
struct RemoteMemory {
  std::uint64_t address = 0;
  std::uint64_t length_bytes = 0;
  std::uint32_t rkey = 0;

  bool operator==(const RemoteMemory&) const = default;
};

// What one end did, in messages of the measured part (notices and credits are not counted).
struct TransferCounts {
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;  // of those posted
  std::uint64_t announced = 0;  // of those completed: the other end must have seen them
  std::uint64_t received = 0;   // arrived from the other end
  std::uint64_t missing = 0;    // announced by the other end, and not there

  bool operator==(const TransferCounts&) const = default;
  void Fields(auto& list) const {
    list("posted", posted, "completed", completed, "announced", announced, "received", received, "missing",
         missing);
  }
};

enum class PeerMessageKind {
  kUnknown,
  kOffer,   // responder listens: case_name, message_bytes, depth, verify, lanes, endpoint, nonce,
            // limit_bytes_per_s
  kReady,   // responder accepted the right peer, its memory is registered: memory (write and read only)
  kDone,    // initiator has nothing more to send: counts; the responder answers with its view
  kView,    // responder's own view: counts, result
  kResult,  // both views merged: result; the test is over
  kHello,   // of either end, with TLS: hello_key, certificates
  kSigned,  // of either end, with TLS: body, signature (agent/trust/)
  kLimit,   // initiator, in production: limit_bytes_per_s
  kJoin,    // initiator has a queue pair for a plain verbs connection: endpoint.queue_pair
  kJoined,  // responder's queue pair is connected to that one, and receives
  kBegan,   // initiator's measured part begins (stress tests)
};

struct PeerMessage {
  PeerMessageKind kind = PeerMessageKind::kUnknown;
  std::uint32_t lane = 0;  // one conversation for each queue pair of a test, and one for each direction

  std::string case_name{};
  std::uint32_t message_bytes = 0;
  std::uint32_t depth = 0;
  bool verify = true;
  std::uint32_t lanes = 1;  // of the whole test
  Endpoint endpoint{};
  Nonce nonce{};

  RemoteMemory memory{};
  TransferCounts counts{};
  TransferResult result{};
  // In a kView of numbered writes: the last ones of this path that are in the responder's log. The path has no
  // access to memory any more.
  std::vector<std::uint64_t> numbers{};

  // Octets, empty without TLS.
  std::string hello_key{};     // X25519, fresh for each test: the nonce of who says it
  std::string certificates{};  // PEM: the sender's, its intermediates after it
  std::string body{};          // another message, as the wire has it
  std::string signature{};     // by the key of the sender's certificate

  std::uint64_t limit_bytes_per_s = 0;  // what the sender's port allows in each direction; 0: not in production

  bool operator==(const PeerMessage&) const = default;
  void Fields(auto& list) const {
    list("kind", kind, "lane", lane, "case_name", case_name, "message_bytes", message_bytes, "depth", depth,
         "verify", verify, "lanes", lanes, "endpoint_address", endpoint.address, "endpoint_port", endpoint.port,
         "nonce", nonce, "memory_address", memory.address, "memory_length_bytes", memory.length_bytes,
         "memory_rkey", memory.rkey, "counts", counts, "result", result, "numbers", numbers, "hello_key",
         hello_key, "certificates", certificates, "body", body, "signature", signature, "limit_bytes_per_s",
         limit_bytes_per_s, "queue_pair_gid", endpoint.queue_pair.gid, "queue_pair_number",
         endpoint.queue_pair.number, "queue_pair_psn", endpoint.queue_pair.psn, "queue_pair_path_mtu_bytes",
         endpoint.queue_pair.path_mtu_bytes, "queue_pair_reads", endpoint.queue_pair.reads);
  }
};

}  // namespace rdmaready
