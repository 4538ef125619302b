// SPDX-License-Identifier: Apache-2.0
#include "agent/tcp/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

absl::Status CannotPost(std::string_view why) {
  return MakeFailure(FailureKind::kSetup, fmt::format("post a request: {}", why));
}

}  // namespace

void TcpExchange::Unregister(MemoryId memory) {
  const auto same = [memory](const std::optional<MemoryId>& other) {
    return other && other->index == memory.index;
  };
  const bool leaves = std::ranges::any_of(
      outgoing_, [&](const Outgoing& one) { return std::ranges::any_of(one.memory, same); });
  const bool awaited = std::ranges::any_of(
      pending_, [&](const Pending& one) { return one.work == Work::kRead && same(one.memory); });
  if (leaves || awaited || same(target_memory_)) Break("memory was unregistered while a request used it");
  std::erase_if(receives_, [&](const Receive& receive) { return same(receive.memory); });
  memory_.Remove(memory);
}

absl::Status TcpExchange::PostReceive(std::uint64_t id, const Slice& to) {
  const auto bytes = memory_.Local(to);
  if (!bytes) return CannotPost("outside of registered memory");
  receives_.push_back({.id = id, .memory = to.memory, .to = *bytes});
  if (stalled_) Dispatch();
  return absl::OkStatus();
}

absl::Status TcpExchange::Post(std::span<const WorkRequest> requests) {
  for (const WorkRequest& request : requests) RR_RETURN_IF_ERROR(PostOne(request));
  return absl::OkStatus();
}

absl::Status TcpExchange::PostOne(const WorkRequest& request) {
  if (!broken_.ok()) return broken_;
  const auto local = memory_.Local(request.local);
  const bool two = request.behind.length > 0;
  const auto behind = two ? memory_.Local(request.behind) : std::span<std::byte>();
  if (!local || !behind) return CannotPost("outside of registered memory");
  if (request.id >= kFrameIdLimit) return CannotPost("its id is too large");
  if (request.invalidate) return CannotPost("TCP has no memory windows");
  const std::uint64_t length = std::uint64_t{request.local.length} + request.behind.length;
  if (length > kMostFramePayload) return CannotPost("the message is too long for a frame");
  Frame frame{.signaled = request.signaled, .id = request.id, .length = static_cast<std::uint32_t>(length)};
  Outgoing out;
  switch (request.work) {
    case Work::kSend:
      frame.kind = FrameKind::kSend;
      break;
    case Work::kWrite:
    case Work::kRead:
      if (two) return CannotPost("only a send has two parts");
      frame.kind = request.work == Work::kWrite ? FrameKind::kWrite : FrameKind::kRead;
      frame.address = request.remote.address;
      frame.key = request.remote.rkey;
      break;
    case Work::kReceive:
    case Work::kBind:
      return CannotPost("not a request of the send side");
  }
  if (frame.kind == FrameKind::kRead) {
    frame.signaled = false;  // it is answered in any case
  } else {
    out.payload = {*local, *behind};
    out.memory[0] = request.local.memory;
    if (two) out.memory[1] = request.behind.memory;
  }
  out.header = EncodeFrame(frame);
  pending_.push_back({.work = request.work,
                      .id = request.id,
                      .signaled = request.signaled,
                      .memory = request.local.memory,
                      .local = *local});
  outgoing_.push_back(out);
  return absl::OkStatus();
}

std::size_t TcpExchange::Completed(std::span<Completion> completions) {
  const std::size_t count = std::min(completions.size(), completions_.size());
  std::copy_n(completions_.begin(), count, completions.begin());
  completions_.erase(completions_.begin(), completions_.begin() + static_cast<std::ptrdiff_t>(count));
  return count;
}

std::size_t TcpExchange::Gather(std::span<Octets> parts) const {
  std::size_t count = 0;
  std::size_t skip = sent_;
  for (const Outgoing& one : outgoing_) {
    for (const Octets part : {Octets(one.header), one.payload[0], one.payload[1]}) {
      const std::size_t skipped = std::min(skip, part.size());
      skip -= skipped;
      if (skipped == part.size()) continue;
      if (count == parts.size()) return count;
      parts[count++] = part.subspan(skipped);
    }
  }
  return count;
}

void TcpExchange::Sent(std::size_t octets) {
  sent_ += octets;
  while (!outgoing_.empty()) {
    const Outgoing& first = outgoing_.front();
    const std::size_t size = first.header.size() + first.payload[0].size() + first.payload[1].size();
    if (sent_ < size) break;
    sent_ -= size;
    if (first.reply) --replies_;
    outgoing_.pop_front();
  }
  if (outgoing_.empty()) urgent_ = false;
}

void TcpExchange::Placed(std::size_t octets) {
  target_ = target_.subspan(octets);
  if (target_.empty()) Finish();
}

std::size_t TcpExchange::Take(Octets octets) {
  std::size_t taken = 0;
  while (taken < octets.size() && broken_.ok() && !stalled_) {
    const Octets rest = octets.subspan(taken);
    if (!target_.empty()) {
      const std::size_t size = std::min(rest.size(), target_.size());
      std::memcpy(target_.data(), rest.data(), size);
      taken += size;
      Placed(size);
      continue;
    }
    const std::size_t size = std::min(rest.size(), kFrameBytes - header_octets_);
    std::memcpy(header_.data() + header_octets_, rest.data(), size);
    taken += size;
    header_octets_ += size;
    if (header_octets_ < kFrameBytes) break;
    header_octets_ = 0;
    frame_ = DecodeFrame(header_);
    if (frame_) {
      Dispatch();
    } else {
      Break("the peer broke the protocol: not a frame");
    }
  }
  return taken;
}

// Begins the frame whose header has come. Called again when it waited for a receive.
void TcpExchange::Dispatch() {
  stalled_ = false;
  switch (frame_->kind) {
    case FrameKind::kSend:
      BeginSend();
      break;
    case FrameKind::kWrite:
      BeginWrite();
      break;
    case FrameKind::kRead:
      AnswerRead();
      break;
    case FrameKind::kDone:
      EndRequest();
      break;
    case FrameKind::kData:
      BeginData();
      break;
    case FrameKind::kRefused:
      HearRefusal();
      break;
  }
  if (broken_.ok() && !stalled_ && target_.empty()) Finish();
}

void TcpExchange::BeginSend() {
  if (receives_.empty()) {
    stalled_ = true;
    return;
  }
  const Receive& receive = receives_.front();
  if (frame_->length > receive.to.size())
    return Refuse(fmt::format("the receive takes {} bytes", receive.to.size()));
  target_ = receive.to.first(frame_->length);
  target_memory_ = receive.memory;
}

void TcpExchange::BeginWrite() {
  const auto reached = memory_.Find({frame_->address, frame_->key}, frame_->length, Access::kRemoteWrite);
  if (!reached) return Refuse("it leaves the memory that it may write");
  target_ = reached->bytes;
  target_memory_ = reached->memory;
}

void TcpExchange::AnswerRead() {
  const auto reached = memory_.Find({frame_->address, frame_->key}, frame_->length, Access::kRemoteRead);
  if (!reached) return Refuse("it leaves the memory that it may read");
  Reply({.kind = FrameKind::kData, .id = frame_->id, .length = frame_->length}, reached->bytes,
        reached->memory);
}

bool TcpExchange::DropUnsignaled() {
  while (!pending_.empty() && !pending_.front().signaled && pending_.front().work != Work::kRead)
    pending_.pop_front();
  return !pending_.empty();
}

void TcpExchange::EndRequest() {
  if (!DropUnsignaled() || pending_.front().work == Work::kRead || pending_.front().id != frame_->id)
    return Break("the peer broke the protocol: it completed a request out of turn");
  completions_.push_back({.work = pending_.front().work, .id = frame_->id});
  pending_.pop_front();
}

void TcpExchange::BeginData() {
  if (!DropUnsignaled() || pending_.front().work != Work::kRead || pending_.front().id != frame_->id ||
      pending_.front().local.size() != frame_->length)
    return Break("the peer broke the protocol: it answered a read out of turn");
  target_ = pending_.front().local;
  target_memory_ = pending_.front().memory;
}

void TcpExchange::HearRefusal() {
  if (std::ranges::find(pending_, frame_->id, &Pending::id) == pending_.end())
    return Break("the peer broke the protocol: it refused a request that was not posted");
  broken_ = MakeFailure(FailureKind::kCompletion, fmt::format("remote access error (message {})", frame_->id));
}

void TcpExchange::Finish() {
  const Frame frame = *std::exchange(frame_, std::nullopt);
  target_memory_.reset();
  switch (frame.kind) {
    case FrameKind::kSend:
      completions_.push_back({.work = Work::kReceive, .id = receives_.front().id, .bytes = frame.length});
      receives_.pop_front();
      break;
    case FrameKind::kData:
      if (pending_.front().signaled) completions_.push_back({.work = Work::kRead, .id = frame.id});
      pending_.pop_front();
      break;
    case FrameKind::kWrite:
    case FrameKind::kRead:
    case FrameKind::kDone:
    case FrameKind::kRefused:
      break;
  }
  if (frame.signaled) Reply({.kind = FrameKind::kDone, .id = frame.id});
  if (frame.kind == FrameKind::kWrite && frame.signaled) urgent_ = true;
}

void TcpExchange::Reply(const Frame& frame, Octets payload, std::optional<MemoryId> memory) {
  if (replies_ >= kMostReplies)
    return Break(fmt::format("the peer broke the protocol: too many unread answers (limit {})", kMostReplies));
  Outgoing out{.header = EncodeFrame(frame), .reply = true};
  out.payload[0] = payload;
  out.memory[0] = memory;
  outgoing_.push_back(out);
  ++replies_;
  urgent_ = urgent_ || frame.kind != FrameKind::kDone;
}

// Nothing more is placed or sent: from now on no memory is used.
void TcpExchange::Break(std::string_view why) {
  if (broken_.ok()) broken_ = MakeFailure(FailureKind::kDisconnected, why);
  frame_.reset();
  target_ = {};
  target_memory_.reset();
  stalled_ = false;
  pending_.clear();
  outgoing_.clear();
  sent_ = replies_ = 0;
  urgent_ = false;
}

// The peer learns which of its requests it was, behind what this end has already begun to send.
void TcpExchange::Refuse(std::string_view why) {
  const Frame refused = *frame_;
  const std::string_view name = refused.kind == FrameKind::kSend    ? "send"
                                : refused.kind == FrameKind::kWrite ? "write"
                                                                    : "read";
  Reply({.kind = FrameKind::kRefused, .id = refused.id});
  if (!broken_.ok()) return;
  broken_ = MakeFailure(FailureKind::kDisconnected,
                        fmt::format("refused the peer's {} of {} bytes: {}", name, refused.length, why));
  frame_.reset();
}

}  // namespace rdmaready
