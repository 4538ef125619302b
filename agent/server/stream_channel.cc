// SPDX-License-Identifier: Apache-2.0
#include "agent/server/stream_channel.h"

#include <chrono>
#include <utility>

#include "agent/link/failure.h"
#include "agent/request_check.h"
#include "api/convert/records.h"

namespace rdmaready {
namespace {

constexpr auto kFarewell = std::chrono::seconds(5);

// An end says a handful of messages in a test; more is not a peer but an attack on our memory.
constexpr std::size_t kMaxQueued = 64;

absl::Status Closed() {
  return MakeFailure(FailureKind::kPeerGone, "the control channel to the peer was closed");
}

}  // namespace

StreamChannel::StreamChannel(grpc::ServerContext& context, Stream& stream,
                             CallWriter<v1::TransferEvent>& writer, Clock& clock)
    : context_(context), stream_(stream), writer_(writer), clock_(clock), reader_([this] { ReadAll(); }) {}

StreamChannel::~StreamChannel() {
  {
    std::unique_lock lock(mutex_);
    if (!clock_.WaitUntil(changed_, lock, {}, clock_.Now() + kFarewell, [this] { return closed_; }))
      context_.TryCancel();
  }
  reader_.join();
}

void StreamChannel::ReadAll() {
  for (v1::PeerTestRequest request; stream_.Read(&request);) {
    const std::lock_guard lock(mutex_);
    if (!request.has_peer() || queue_.size() >= kMaxQueued) {
      context_.TryCancel();
      break;
    }
    refusal_ = CheckRequest(request);
    if (!refusal_.ok()) break;
    queue_.push_back(FromProto(request.peer()));
    changed_.notify_all();
  }
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

absl::Status StreamChannel::Send(const PeerMessage& message) {
  v1::TransferEvent event;
  *event.mutable_peer() = ToProto(message);
  return writer_.Send(std::move(event)) ? absl::OkStatus() : Closed();
}

absl::StatusOr<PeerMessage> StreamChannel::Receive(TimePoint deadline) {
  std::unique_lock lock(mutex_);
  if (!clock_.WaitUntil(changed_, lock, {}, deadline, [this] { return closed_ || !queue_.empty(); })) {
    return absl::DeadlineExceededError("no message from the peer in time");
  }
  if (queue_.empty()) return Closed();
  PeerMessage message = std::move(queue_.front());
  queue_.pop_front();
  return message;
}

absl::Status StreamChannel::Refusal() {
  const std::lock_guard lock(mutex_);
  return refusal_;
}

PeerState StreamChannel::Poll() {
  const std::lock_guard lock(mutex_);
  if (!queue_.empty()) return PeerState::kMessage;
  return closed_ ? PeerState::kClosed : PeerState::kQuiet;
}

}  // namespace rdmaready
