// SPDX-License-Identifier: Apache-2.0
// Messages and answers of SMB Direct.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "agent/link/failure.h"
#include "agent/transfer/data_smbd.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kWholeBytes = 1'048'576;  // the largest message of SMB Direct that our settings take
constexpr std::uint64_t kNoMessage = ~std::uint64_t{0};

using Pieces = absl::InlinedVector<std::uint32_t, 5>;

// The sizes of the messages that a large one goes as: whole, halves, and around the bounds of a fragment (1340
// bytes of payload) and of the least that a peer must put together (131072). The last takes what is left.
Pieces PiecesOf(std::uint32_t bytes, std::uint64_t index) {
  if (bytes < kWholeBytes) return {bytes};
  static const std::vector<Pieces> kFirst{{}, {bytes / 2}, {1, 1'340, 1'341, 1'339}, {131'072, 65'536 + 3}};
  Pieces pieces = kFirst[index % kFirst.size()];
  std::uint32_t left = bytes;
  for (const std::uint32_t piece : pieces) left -= piece;
  pieces.push_back(left);
  return pieces;
}

}  // namespace

absl::Status SmbdSendEnd::MakeMemory() {
  const auto count = static_cast<std::uint32_t>(slots());
  RR_RETURN_IF_ERROR(Make(outgoing_, session_.test().message_bytes, count, Access::kSendSource));
  RR_RETURN_IF_ERROR(Make(incoming_, session_.test().message_bytes, count, Access::kSendSource));
  FillAhead();
  return absl::OkStatus();
}

void SmbdSendEnd::FillAhead() {
  const std::uint64_t end = verify() ? counts_.completed + slots() : slots();
  for (; filled_ < end; ++filled_) pattern_.Fill(outgoing_->bytes(filled_), NumberOf(filled_));
}

absl::Status SmbdSendEnd::Send(std::uint64_t index) {
  FillAhead();
  std::span<const std::byte> left = outgoing_->bytes(index);
  ++counts_.posted;
  for (const std::uint32_t piece : PiecesOf(session_.test().message_bytes, index)) {
    const bool last = piece == left.size();
    RR_RETURN_IF_ERROR(edge_->Submit({.bytes = left.first(piece), .cookie = last ? index : kNoMessage}));
    left = left.subspan(piece);
  }
  return absl::OkStatus();
}

void SmbdSendEnd::Submitted(std::uint64_t cookie) {
  if (cookie == kNoMessage) return;
  ++counts_.completed;
  ++counts_.announced;
}

absl::Status SmbdSendEnd::Deliver(std::span<const std::byte> message) {
  const Pieces pieces = PiecesOf(session_.test().message_bytes, counts_.received);
  if (message.size() != pieces[piece_]) {
    return MakeFailure(FailureKind::kCorrupt,
                       fmt::format("SMB Direct: part {} of message {} arrived with {} bytes instead of {}",
                                   piece_, counts_.received, message.size(), pieces[piece_]));
  }
  if (counts_.received >= looked_at_ + slots()) {
    return MakeFailure(FailureKind::kCorrupt, "SMB Direct: more messages arrived than may be under way");
  }
  if (verify()) {
    std::ranges::copy(
        message, incoming_->bytes(counts_.received).begin() + static_cast<std::ptrdiff_t>(received_bytes_));
  }
  received_bytes_ += message.size();
  if (++piece_ < pieces.size()) return absl::OkStatus();
  piece_ = 0;
  received_bytes_ = 0;
  ++counts_.received;
  return absl::OkStatus();
}

// Only the way there and back is between the two readings of the clock, as in the plain ping-pong.
absl::Status SmbdSendInitiator::Run(Phase& phase) {
  Meter meter(session_.test(), session_.options());
  absl::Status status;
  while (status.ok()) {
    const std::uint64_t burst = session_.paced() ? 1 : session_.test().depth;
    const std::uint64_t messages = meter.MayPost(counts_.posted, burst, NowNs());
    if (messages == 0) break;
    status = session_.Pace(session_.test().message_bytes);
    if (status.ok()) status = Burst(messages, meter);
    if (status.ok()) status = AwaitAnswers(meter, phase);
  }
  phase.counts = counts_;
  phase.messages = counts_.completed + counts_.received;
  meter.Report(phase);
  phase.failure = FoundByCounting("SMB Direct, in the answers", session_.test(), phase, std::nullopt);
  return WithProgress(status, "messages", counts_);
}

absl::Status SmbdSendInitiator::Burst(std::uint64_t messages, Meter& meter) {
  const std::uint64_t first = counts_.posted;
  for (std::uint64_t ping = first; ping < first + messages; ++ping) {
    while (!MayUse(ping)) RR_RETURN_IF_ERROR(Step());
  }
  FillAhead();
  const std::int64_t now_ns = first == 0 || verify() ? NowNs() : session_.waited_ns();
  return edge_->Together([&] {
    for (std::uint64_t ping = first; ping < first + messages; ++ping) {
      meter.Posted(ping, now_ns);
      RR_RETURN_IF_ERROR(Send(ping));
    }
    return absl::OkStatus();
  });
}

absl::Status SmbdSendInitiator::AwaitAnswers(Meter& meter, Phase& phase) {
  std::uint64_t timed = looked_at_;
  while (looked_at_ < counts_.posted || counts_.completed < counts_.posted) {
    RR_RETURN_IF_ERROR(Step());
    if (counts_.received > counts_.posted) {
      return MakeFailure(FailureKind::kCorrupt, "SMB Direct: an answer came before its message");
    }
    for (; timed < counts_.received; ++timed) {
      meter.Completed(timed, session_.waited_ns(), 2ull * session_.test().message_bytes, 2);
    }
    for (; looked_at_ < counts_.received; ++looked_at_) {
      Verify(incoming_->bytes(looked_at_), 2 * looked_at_ + 1, phase);
    }
  }
  return absl::OkStatus();
}

absl::Status SmbdSendResponder::Run(Phase& phase) {
  RR_RETURN_IF_ERROR(Negotiate());
  const absl::Status status = ServeUntilDone([&] {
    RR_RETURN_IF_ERROR(edge_->Together([this] { return Answer(); }));
    for (; looked_at_ < counts_.received; ++looked_at_) {
      Verify(incoming_->bytes(looked_at_), 2 * looked_at_, phase);
    }
    FillAhead();
    return absl::OkStatus();
  });
  phase.counts = counts_;
  phase.failure = FoundByCounting("SMB Direct", session_.test(), phase, std::nullopt);
  return status;
}

// The answer first, then the work.
absl::Status SmbdSendResponder::Deliver(std::span<const std::byte> message) {
  RR_RETURN_IF_ERROR(SmbdSendEnd::Deliver(message));
  return Answer();
}

absl::Status SmbdSendResponder::Answer() {
  while (counts_.posted < counts_.received && MayUse(counts_.posted)) {
    RR_RETURN_IF_ERROR(Send(counts_.posted));
  }
  return absl::OkStatus();
}

}  // namespace rdmaready
