// SPDX-License-Identifier: Apache-2.0
// Connection: MS-SMBD for one end of one connection, without a device: events and bytes in, actions and bytes
// out, the time handed in. Section numbers are those of [MS-SMBD].
//
// The driver (a verbs edge, a test) makes it with its receive buffers ready, calls Prepare before it connects
// or accepts, then Connected, and from then on reports completions. Each call appends actions; see action.h for
// how to execute them. A call may be made while actions of an earlier one are still waiting for execution, as
// long as the new ones are executed behind them.
//
// A peer that breaks the protocol ends the connection with a reason. After Disconnect every event is ignored.
// Memory: what Settings says, plus one message under reassembly (max_fragmented_bytes).
//
// Threads: one at a time. Two completions of one kind are reported in the order of their posting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "agent/smbdirect/action.h"
#include "agent/smbdirect/credits.h"
#include "agent/smbdirect/negotiate.h"
#include "agent/smbdirect/rdma_queue.h"
#include "agent/smbdirect/reassembly.h"
#include "agent/smbdirect/receive_buffers.h"
#include "agent/smbdirect/send_queue.h"
#include "agent/smbdirect/settings.h"

namespace rdmaready::smbdirect {

// Since the beginning; messages are those on the wire.
struct Counters {
  std::uint64_t sent = 0;
  std::uint64_t sent_empty = 0;  // credits or keepalive only
  std::uint64_t received = 0;
  std::uint64_t received_empty = 0;
  std::uint64_t keepalives_sent = 0;
  std::uint64_t keepalives_received = 0;
};

class Connection {
 public:
  // `settings` is valid (Validate).
  Connection(Role role, const Settings& settings);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // --- events of the lower layer ---

  // Before the connection is requested or accepted, once: the receive for the negotiation is posted.
  void Prepare(Actions& actions);

  // The RDMA connection stands. `read_depth`: RDMA reads that may be outstanding at the peer (ORD; see iwarp.h
  // for iWARP), 0 when none. The initiator speaks now; at the responder Received may come before Connected.
  void Connected(TimePoint now, std::uint32_t read_depth, Actions& actions);

  // Receive buffer `buffer` holds `bytes`, which stay untouched until it is posted again. `invalidated`: the
  // token that the peer's send invalidated, when the device told it.
  void Received(std::uint32_t buffer, Bytes bytes, std::optional<std::uint32_t> invalidated, TimePoint now,
                Actions& actions);

  // The oldest Send, RdmaRead or RdmaWrite in flight completed successfully.
  void SendDone(Actions& actions);
  void ReadDone(Actions& actions);
  void WriteDone(Actions& actions);

  void TimerExpired(TimePoint now, Actions& actions);

  // The peer disconnected; or a work request or the device failed. Work requests that are flushed because the
  // peer disconnected are no failure: wait for the connection manager's event, which names the reason.
  void PeerClosed(Actions& actions);
  void TransportFailed(Actions& actions);

  // --- requests of the upper layer ---

  // All fail with FailedPrecondition while not established, InvalidArgument for what the agreement does not
  // allow (text says what), ResourceExhausted when the queue is full; then nothing has happened.

  // Queues a message. No empty ones: the protocol has none. A message goes out after the RDMA writes that were
  // requested before it have been posted, so that on a reliable connection it arrives behind their data; for
  // RDMA reads, wait for RdmaComplete.
  absl::Status Submit(const Message& message, Actions& actions);

  // Moves bytes from, or to, the peer's buffer described by `remote`, from byte `offset` of it. `local` stays
  // valid until RdmaComplete with `cookie`.
  absl::Status ReadFromPeer(std::span<std::byte> local, std::span<const BufferDescriptor> remote,
                            std::uint64_t offset, std::uint64_t cookie, Actions& actions);
  absl::Status WriteToPeer(Bytes local, std::span<const BufferDescriptor> remote, std::uint64_t offset,
                           std::uint64_t cookie, Actions& actions);

  // Ends the connection at once; what is queued is not sent.
  void Close(Actions& actions);

  // For tests of a peer: fragments carry at most `payload_bytes` (at least 1) even where more would be allowed;
  // and later messages ask for another number of credits (at least 1).
  void SetFragmentLimit(std::uint32_t payload_bytes) { fragment_limit_bytes_ = payload_bytes; }
  void SetCreditTarget(std::uint16_t credits) { credit_target_ = credits; }

  // --- what is ---
  bool established() const { return state_ == State::kEstablished; }
  bool ended() const { return state_ == State::kEnded; }
  const Agreement& agreement() const { return agreement_; }  // once established
  // The negotiation's messages, as sent and as received, for a report; nullopt while there is none, or one too
  // short to be read.
  const std::optional<NegotiateRequest>& request() const { return request_; }
  const std::optional<NegotiateResponse>& response() const { return response_; }
  const Counters& counters() const { return counters_; }
  std::uint32_t send_credits() const { return credits_.send(); }
  std::uint32_t receive_credits() const { return credits_.posted(); }
  std::size_t waiting_messages() const { return sends_.waiting(); }
  std::size_t reassembly_memory_bytes() const { return reassembler_.memory_bytes(); }

 private:
  // kIdle: not connected. kRefusing: the refusal is on its way out.
  enum class State : std::uint8_t { kIdle, kNegotiating, kRefusing, kEstablished, kEnded };
  enum class Keepalive : std::uint8_t { kNone, kPending, kSent };  // 3.1.1.1 KeepaliveRequested

  void End(EndReason reason, std::uint32_t status, Actions& actions);
  void Receive(Bytes bytes, std::optional<std::uint32_t> invalidated, TimePoint now, Actions& actions);
  void ReceiveRequest(Bytes bytes, TimePoint now, Actions& actions);
  void ReceiveResponse(Bytes bytes, TimePoint now, Actions& actions);
  void ReceiveData(Bytes bytes, std::optional<std::uint32_t> invalidated, TimePoint now, Actions& actions);
  void Establish(const Agreement& agreement, TimePoint now, Actions& actions);
  void StartNegotiation(TimePoint now, Actions& actions);
  void Post(std::uint32_t receives, Actions& actions);
  void SendControl(Bytes bytes, Actions& actions);
  void Pump(Actions& actions);
  void PumpRdma(Actions& actions);
  bool PumpOne(Actions& actions);
  void SendData(std::uint16_t granting, bool with_payload, Actions& actions);
  void TimerWhileEstablished(TimePoint now, Actions& actions);
  std::uint32_t MaxPayloadBytes() const;
  std::uint32_t TakeSlot();
  absl::Status MayMove(std::size_t bytes, std::uint32_t depth, std::size_t requests,
                       std::span<const BufferDescriptor> remote) const;

  const Role role_;
  const Settings settings_;
  State state_ = State::kIdle;
  Agreement agreement_{};
  ReceiveBuffers buffers_;
  Credits credits_;
  Reassembler reassembler_;
  SendQueue sends_{};
  RdmaQueue<std::byte> reads_{};
  RdmaQueue<const std::byte> writes_{};
  Counters counters_{};
  std::optional<NegotiateRequest> request_{};
  std::optional<NegotiateResponse> response_{};

  bool answer_owed_ = false;  // the peer asked for a message, 3.1.5.8
  Keepalive keepalive_ = Keepalive::kNone;
  TimePoint deadline_{};    // of the negotiation, then of the keepalive's answer
  TimePoint last_heard_{};  // the last message of the peer
  EndReason refusal_{};
  std::uint32_t refusal_status_ = kStatusSuccess;
  std::uint32_t fragment_limit_bytes_ = 0xffffffff;
  std::uint16_t credit_target_;
  std::uint32_t next_slot_ = 0;
};

}  // namespace rdmaready::smbdirect
