// SPDX-License-Identifier: Apache-2.0
// The established connection: messages, credits, RDMA.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/smbdirect/connection.h"

namespace rdmaready::smbdirect {

void Connection::Post(std::uint32_t receives, Actions& actions) {
  for (std::uint32_t i = 0; i < receives; ++i) actions.push_back(PostReceive{.buffer = buffers_.Post()});
}

std::uint32_t Connection::TakeSlot() {
  const std::uint32_t slot = next_slot_;
  next_slot_ = (next_slot_ + 1) % settings_.max_sends_in_flight;
  return slot;
}

void Connection::SendControl(Bytes bytes, Actions& actions) {
  Send send{.head_size = static_cast<std::uint32_t>(bytes.size()), .slot = TakeSlot(), .solicited = true};
  std::ranges::copy(bytes, send.head_bytes.begin());
  sends_.SentOther();
  actions.push_back(send);
}

void Connection::ReceiveData(Bytes bytes, std::optional<std::uint32_t> invalidated, TimePoint now,
                             Actions& actions) {
  if (bytes.size() > agreement_.max_receive_bytes) return End(EndReason::kDataTooLong, kStatusSuccess, actions);
  const std::variant<DataMessage, EndReason> decoded = DecodeData(bytes);
  if (const EndReason* fault = std::get_if<EndReason>(&decoded)) return End(*fault, kStatusSuccess, actions);
  const DataMessage& message = std::get<DataMessage>(decoded);
  const std::variant<std::monostate, Reassembled, EndReason> added = reassembler_.Add(message, invalidated);
  if (const EndReason* fault = std::get_if<EndReason>(&added)) return End(*fault, kStatusSuccess, actions);

  ++counters_.received;
  if (message.payload.empty()) ++counters_.received_empty;
  last_heard_ = now;
  keepalive_ = Keepalive::kNone;
  if ((message.header.flags & kFlagResponseRequested) != 0) {
    ++counters_.keepalives_received;
    answer_owed_ = true;
  }
  credits_.Received(message.header.credits_requested, message.header.credits_granted, !message.payload.empty());
  if (const Reassembled* whole = std::get_if<Reassembled>(&added)) {
    actions.push_back(Deliver{.message = whole->bytes, .invalidated = whole->invalidated});
  }
  Pump(actions);
}

void Connection::SendDone(Actions& actions) {
  if (state_ == State::kEnded) return;
  if (sends_.in_flight() == 0) return End(EndReason::kMisuse, kStatusSuccess, actions);
  if (const std::optional<std::uint64_t> cookie = sends_.Completed()) {
    actions.push_back(Submitted{.cookie = *cookie});
  }
  if (state_ == State::kRefusing) return End(refusal_, refusal_status_, actions);
  Pump(actions);
}

void Connection::ReadDone(Actions& actions) {
  if (state_ == State::kEnded) return;
  if (reads_.in_flight() == 0) return End(EndReason::kMisuse, kStatusSuccess, actions);
  if (const std::optional<std::uint64_t> cookie = reads_.Completed()) {
    actions.push_back(RdmaComplete{.cookie = *cookie});
  }
  Pump(actions);
}

void Connection::WriteDone(Actions& actions) {
  if (state_ == State::kEnded) return;
  if (writes_.in_flight() == 0) return End(EndReason::kMisuse, kStatusSuccess, actions);
  if (const std::optional<std::uint64_t> cookie = writes_.Completed()) {
    actions.push_back(RdmaComplete{.cookie = *cookie});
  }
  Pump(actions);
}

// Posts and sends all that may be.
void Connection::Pump(Actions& actions) {
  if (state_ != State::kEstablished) return;
  PumpRdma(actions);
  while (PumpOne(actions)) {
  }
}

void Connection::PumpRdma(Actions& actions) {
  while (const auto work = writes_.Next()) {
    actions.push_back(
        RdmaWrite{.local = work->local, .address = work->segment.address, .token = work->segment.token});
  }
  while (const auto work = reads_.Next()) {
    actions.push_back(
        RdmaRead{.local = work->local, .address = work->segment.address, .token = work->segment.token});
  }
}

// One message, when there is a reason to send one and the credits allow it (3.1.5.1). Whatever is owed goes
// along with payload when there is some, so that no message without payload comes between our own fragments.
bool Connection::PumpOne(Actions& actions) {
  if (sends_.in_flight() >= settings_.max_sends_in_flight) return false;
  const bool with_payload = sends_.Ready(writes_.posted());
  const bool must_send = with_payload || answer_owed_ || keepalive_ == Keepalive::kPending;
  if (!must_send && !credits_.due()) return false;
  const std::uint16_t granting = credits_.ToGrant(must_send);
  if (!credits_.MaySend(granting)) return false;
  SendData(granting, with_payload, actions);
  return true;
}

std::uint32_t Connection::MaxPayloadBytes() const {
  return std::max(1u, std::min(fragment_limit_bytes_, agreement_.max_send_bytes - kDataOffset));
}

void Connection::SendData(std::uint16_t granting, bool with_payload, Actions& actions) {
  Post(granting, actions);
  DataHeader header{.credits_requested = std::max<std::uint16_t>(credit_target_, 1),
                    .credits_granted = granting};
  if (keepalive_ == Keepalive::kPending) {
    keepalive_ = Keepalive::kSent;
    header.flags = kFlagResponseRequested;
    ++counters_.keepalives_sent;
  }
  Send send{.head_size = kDataHeaderBytes, .slot = TakeSlot()};
  if (with_payload) {
    const Fragment fragment = sends_.Next(MaxPayloadBytes());
    header.remaining_data_bytes = fragment.remaining_bytes;
    header.data_offset = kDataOffset;
    header.data_bytes = static_cast<std::uint32_t>(fragment.payload.size());
    send.head_size = kDataOffset;
    send.payload = fragment.payload;
    send.invalidate = fragment.invalidate;
  } else {
    sends_.SentOther();
    ++counters_.sent_empty;
  }
  // A peer that sleeps has nothing to do before the last fragment is there, unless it waits for credits.
  send.solicited = header.remaining_data_bytes == 0 || granting > 0 || header.flags != 0;
  std::ranges::copy(Encode(header), send.head_bytes.begin());
  credits_.Sent(granting);
  answer_owed_ = false;
  ++counters_.sent;
  actions.push_back(send);
}

absl::Status Connection::Submit(const Message& message, Actions& actions) {
  if (!established()) return absl::FailedPreconditionError("the connection is not established");
  if (message.bytes.empty()) return absl::InvalidArgumentError("SMB Direct has no message of 0 bytes");
  if (message.bytes.size() > agreement_.max_fragmented_send_bytes) {
    return absl::InvalidArgumentError(absl::StrCat("the peer takes messages of ",
                                                   agreement_.max_fragmented_send_bytes, " bytes at most, not ",
                                                   message.bytes.size()));
  }
  if (sends_.waiting() >= settings_.max_queued_messages) {
    return absl::ResourceExhaustedError(absl::StrCat(sends_.waiting(), " messages are waiting"));
  }
  sends_.Push(message, writes_.pushed());
  Pump(actions);
  return absl::OkStatus();
}

absl::Status Connection::MayMove(std::size_t bytes, std::uint32_t depth, std::size_t requests,
                                 std::span<const BufferDescriptor> remote) const {
  if (!established()) return absl::FailedPreconditionError("the connection is not established");
  if (depth == 0) return absl::FailedPreconditionError("the connection allows no RDMA reads");
  if (bytes == 0) return absl::InvalidArgumentError("nothing to move");
  const std::uint32_t most = settings_.max_read_write_bytes;
  if (bytes > most) {
    return absl::InvalidArgumentError(absl::StrCat("a request moves ", most, " bytes at most, not ", bytes));
  }
  if (remote.size() > kMaxDescriptors) {
    return absl::InvalidArgumentError(
        absl::StrCat("a request has ", kMaxDescriptors, " descriptors at most, not ", remote.size()));
  }
  if (requests >= settings_.max_queued_rdma) {
    return absl::ResourceExhaustedError(absl::StrCat(requests, " RDMA requests are waiting"));
  }
  return absl::OkStatus();
}

absl::Status Connection::ReadFromPeer(std::span<std::byte> local, std::span<const BufferDescriptor> remote,
                                      std::uint64_t offset, std::uint64_t cookie, Actions& actions) {
  if (absl::Status status = MayMove(local.size(), reads_.depth(), reads_.requests(), remote); !status.ok())
    return status;
  std::vector<Segment> segments = Cut(remote, offset, local.size());
  if (segments.empty()) return absl::InvalidArgumentError("the peer's buffer does not hold the range");
  reads_.Push(local, std::move(segments), cookie);
  Pump(actions);
  return absl::OkStatus();
}

absl::Status Connection::WriteToPeer(Bytes local, std::span<const BufferDescriptor> remote,
                                     std::uint64_t offset, std::uint64_t cookie, Actions& actions) {
  if (absl::Status status = MayMove(local.size(), writes_.depth(), writes_.requests(), remote); !status.ok())
    return status;
  std::vector<Segment> segments = Cut(remote, offset, local.size());
  if (segments.empty()) return absl::InvalidArgumentError("the peer's buffer does not hold the range");
  writes_.Push(local, std::move(segments), cookie);
  Pump(actions);
  return absl::OkStatus();
}

}  // namespace rdmaready::smbdirect
