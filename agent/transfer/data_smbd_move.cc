// SPDX-License-Identifier: Apache-2.0
// Buffers written and read by RDMA on request, as a file server does for reads and writes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "agent/link/failure.h"
#include "agent/transfer/data_smbd.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

// Both messages begin with the number and the tag, 8 bytes each, little-endian; a request goes on with its
// descriptors, [MS-SMBD] 2.2.3.1.
constexpr std::size_t kHeadBytes = 16;
static_assert(kMoveMessageBytes == kHeadBytes + kMoveDescriptors * smbdirect::kDescriptorBytes);

// Clients register a buffer as one; now and then one is in pieces.
constexpr std::uint64_t kInPiecesEvery = 8;

// Lengths of the parts in which message `number` of that size is described.
std::span<const std::uint32_t> PartsOf(std::uint32_t bytes, std::uint64_t number,
                                       std::array<std::uint32_t, kMoveDescriptors>& parts) {
  if (number % kInPiecesEvery != 1 || bytes < 64) {
    parts[0] = bytes;
    return std::span(parts).first(1);
  }
  parts = {bytes / 2 + 8, bytes / 4 - 1, bytes - (bytes / 2 + 8) - (bytes / 4 - 1)};
  return parts;
}

std::size_t RequestBytes(std::uint32_t bytes, std::uint64_t number) {
  std::array<std::uint32_t, kMoveDescriptors> parts;
  return kHeadBytes + PartsOf(bytes, number, parts).size() * smbdirect::kDescriptorBytes;
}

void PutU64(std::span<std::byte> bytes, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>((value >> (8 * i)) & 0xff);
}

std::uint64_t GetU64(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return value;
}

absl::Status Damaged(const char* what, std::uint64_t number) {
  return MakeFailure(FailureKind::kCorrupt, fmt::format("SMB Direct: {} {} arrived damaged", what, number));
}

}  // namespace

std::uint64_t SmbdMoveEnd::Tag(std::uint64_t number, bool answer) const {
  return pattern_.Tag(number, answer ? ~std::uint64_t{0} : session_.test().message_bytes);
}

absl::Status SmbdMoveEnd::CheckDevice() const {
  if (!windows() || session_.link().can_invalidate()) return absl::OkStatus();
  return MakeFailure(FailureKind::kSetup,
                     "the RDMA device has no memory windows of type 2 that a peer can take away");
}

absl::Status SmbdMoveInitiator::MakeMemory() {
  RR_RETURN_IF_ERROR(CheckDevice());
  const auto count = static_cast<std::uint32_t>(slots());
  const Access shown = windows() ? Access::kWindowedWrite : Access::kRemoteWrite;
  RR_RETURN_IF_ERROR(
      Make(memory_, session_.test().message_bytes, count, writes() ? shown : Access::kRemoteRead));
  while (windows() && windows_.size() < slots()) {
    RR_ASSIGN_OR_RETURN(const WindowId window, session_.link().MakeWindow(memory_->slice(0).memory));
    windows_.push_back({.id = window});
  }
  return Make(messages_, kMoveMessageBytes, count, Access::kSendSource);
}

absl::Status SmbdMoveInitiator::Run(Phase& phase) {
  Meter meter(session_.test(), session_.options());
  absl::Status status;
  std::uint64_t timed = 0;
  while (true) {
    status = edge_->Together([&] { return AskAll(meter); });
    const bool finished = stopping_ && looked_at_ == counts_.posted && counts_.announced == counts_.posted;
    if (!status.ok() || finished) break;
    status = Step();
    if (!status.ok()) break;
    for (; timed < counts_.received; ++timed) {
      meter.Completed(timed, session_.waited_ns(), session_.test().message_bytes);
    }
    for (; looked_at_ < counts_.received; ++looked_at_) {
      if (writes()) Verify(memory_->bytes(looked_at_), looked_at_, phase);
    }
  }
  counts_.completed = counts_.received;
  phase.counts = counts_;
  phase.messages = counts_.received;
  meter.Report(phase);
  phase.failure = FoundByCounting("RDMA write for SMB Direct", session_.test(), phase, std::nullopt);
  return WithProgress(status, "requests", counts_);
}

// Several at a time, as the plain cases do: both ends wake up once for all of them.
absl::Status SmbdMoveInitiator::AskAll(Meter& meter) {
  const std::uint64_t limit = std::min(looked_at_, counts_.announced) + slots();
  if (limit < counts_.posted + ChainOf(session_.test(), session_.options())) return absl::OkStatus();
  while (!stopping_ && counts_.posted < limit) {
    if (session_.paced() && (looked_at_ < counts_.posted || counts_.announced < counts_.posted)) break;
    std::int64_t now_ns = NowNs();
    if (meter.MayPost(counts_.posted, 1, now_ns) == 0) {
      stopping_ = true;
    } else {
      if (session_.paced()) {
        RR_RETURN_IF_ERROR(session_.Pace(session_.test().message_bytes));
        now_ns = session_.waited_ns();
      }
      meter.Posted(counts_.posted, now_ns);
      RR_RETURN_IF_ERROR(Ask());
    }
  }
  return absl::OkStatus();
}

absl::Status SmbdMoveInitiator::Ask() {
  const std::uint64_t number = counts_.posted++;
  const std::span<std::byte> data = memory_->bytes(number);
  if (!writes() && (verify() || number < slots())) pattern_.Fill(data, number);
  RR_ASSIGN_OR_RETURN(const RemoteMemory shown, Show(number));
  return edge_->Submit({.bytes = Request(number, shown), .cookie = number});
}

absl::StatusOr<RemoteMemory> SmbdMoveInitiator::Show(std::uint64_t number) {
  const std::uint64_t slot = number % slots();
  const std::uint32_t size = session_.test().message_bytes;
  if (!windows()) {
    const RemoteMemory memory = memory_->remote();
    return RemoteMemory{.address = memory.address + slot * size, .length_bytes = size, .rkey = memory.rkey};
  }
  absl::StatusOr<RemoteMemory> shown = session_.link().Bind(windows_[slot].id, slot * size, size);
  if (shown.ok()) windows_[slot].key = shown->rkey;
  return shown;
}

std::span<const std::byte> SmbdMoveInitiator::Request(std::uint64_t number, const RemoteMemory& memory) const {
  const std::uint32_t size = session_.test().message_bytes;
  const std::span<std::byte> request = messages_->bytes(number).first(RequestBytes(size, number));
  PutU64(request, number);
  PutU64(request.subspan(8), Tag(number, false));
  std::uint64_t address = memory.address;
  std::span<std::byte> rest = request.subspan(kHeadBytes);
  std::array<std::uint32_t, kMoveDescriptors> parts;
  for (const std::uint32_t part : PartsOf(size, number, parts)) {
    std::ranges::copy(smbdirect::Encode({.address = address, .token = memory.rkey, .length_bytes = part}),
                      rest.begin());
    rest = rest.subspan(smbdirect::kDescriptorBytes);
    address += part;
  }
  return request;
}

void SmbdMoveInitiator::Submitted(std::uint64_t) { ++counts_.announced; }

absl::Status SmbdMoveInitiator::Deliver(std::span<const std::byte> message) {
  const std::uint64_t number = counts_.received;
  const bool right = message.size() == kHeadBytes && number < counts_.posted && GetU64(message) == number &&
                     GetU64(message.subspan(8)) == Tag(number, true);
  if (!right) return Damaged("answer", number);
  const std::optional<std::uint32_t> taken_away = std::exchange(taken_away_, std::nullopt);
  if (windows() && taken_away != windows_[number % slots()].key) {
    return MakeFailure(FailureKind::kCorrupt,
                       fmt::format("SMB Direct: answer {} took {} window away, not that of its request", number,
                                   taken_away ? "another" : "no"));
  }
  ++counts_.received;
  return absl::OkStatus();
}

absl::Status SmbdMoveResponder::MakeMemory() {
  RR_RETURN_IF_ERROR(CheckDevice());
  const auto count = static_cast<std::uint32_t>(slots());
  const Access access = writes() ? Access::kSendSource : Access::kReadDestination;
  RR_RETURN_IF_ERROR(Make(memory_, session_.test().message_bytes, count, access));
  return Make(messages_, kHeadBytes, count, Access::kSendSource);
}

absl::Status SmbdMoveResponder::Run(Phase& phase) {
  RR_RETURN_IF_ERROR(Negotiate());
  const absl::Status status = ServeUntilDone([&] {
    for (; looked_at_ < moved_; ++looked_at_) {
      if (!writes()) Verify(memory_->bytes(looked_at_), looked_at_, phase);
    }
    return edge_->Together([this] { return Serve(); });
  });
  phase.counts = counts_;
  phase.failure = FoundByCounting("RDMA read for SMB Direct", session_.test(), phase, std::nullopt);
  return status;
}

absl::Status SmbdMoveResponder::Deliver(std::span<const std::byte> message) {
  const std::uint64_t number = counts_.received;
  const bool right = message.size() == RequestBytes(session_.test().message_bytes, number) &&
                     GetU64(message) == number && GetU64(message.subspan(8)) == Tag(number, false) &&
                     waiting_.size() < slots();
  if (!right) return Damaged("request", number);
  auto buffer = smbdirect::DecodeDescriptors(message.subspan(kHeadBytes), kMoveDescriptors);
  if (!buffer) return Damaged("request", number);
  ++counts_.received;
  waiting_.push_back({.number = number, .buffer = *std::move(buffer)});
  return absl::OkStatus();
}

// A slot is free when what it held went out, and its answer too; or was looked at. The answers to writes follow
// the data of all of them: the peer wakes up once, as this end did for its requests.
absl::Status SmbdMoveResponder::Serve() {
  const std::uint64_t free = std::min({moved_, looked_at_, counts_.completed});
  std::size_t served = 0;
  for (; served < waiting_.size() && waiting_[served].number < free + slots(); ++served) {
    RR_RETURN_IF_ERROR(MoveData(waiting_[served]));
  }
  for (; served > 0; --served) {
    const MoveRequest request = std::move(waiting_.front());
    waiting_.pop_front();
    // That to a read waits for the data.
    if (!writes()) continue;
    RR_RETURN_IF_ERROR(
        SendAnswer(request.number, windows() ? std::optional(request.buffer.front().token) : std::nullopt));
  }
  return absl::OkStatus();
}

absl::Status SmbdMoveResponder::MoveData(const MoveRequest& request) {
  const std::span<std::byte> data = memory_->bytes(request.number);
  if (!writes()) return edge_->ReadFromPeer(data, request.buffer, 0, request.number);
  if (verify() || request.number < slots()) pattern_.Fill(data, request.number);
  return edge_->WriteToPeer(data, request.buffer, 0, request.number);
}

absl::Status SmbdMoveResponder::Moved(std::uint64_t cookie) {
  ++moved_;
  return writes() ? absl::OkStatus() : SendAnswer(cookie, std::nullopt);
}

absl::Status SmbdMoveResponder::SendAnswer(std::uint64_t number, std::optional<std::uint32_t> taking_away) {
  const std::span<std::byte> answer = messages_->bytes(number);
  PutU64(answer, number);
  PutU64(answer.subspan(8), Tag(number, true));
  ++counts_.posted;
  return edge_->Submit({.bytes = answer, .cookie = number, .invalidate = taking_away});
}

void SmbdMoveResponder::Submitted(std::uint64_t) {
  ++counts_.completed;
  ++counts_.announced;
}

}  // namespace rdmaready
