// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/lane_mux.h"

#include <chrono>
#include <utility>

#include "agent/link/failure.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kLook{20};  // at the end of the mux
constexpr std::size_t kMaxQueued = 16;          // a conversation has a handful of messages

}  // namespace

class LaneMux::Lane final : public PeerChannel {
 public:
  Lane(LaneMux& mux, std::uint32_t index) : mux_(mux), index_(index) {}

  absl::Status Send(const PeerMessage& message) override {
    PeerMessage marked = message;
    marked.lane = index_;
    const std::lock_guard lock(mux_.send_mutex_);
    return mux_.inner_.Send(marked);
  }

  absl::StatusOr<PeerMessage> Receive(TimePoint deadline) override {
    std::unique_lock lock(mux_.mutex_);
    std::deque<PeerMessage>& inbox = mux_.inboxes_[index_];
    if (!mux_.changed_.wait_until(lock, deadline, [&] { return mux_.closed_ || !inbox.empty(); })) {
      return absl::DeadlineExceededError("no message in time");
    }
    if (inbox.empty() && !mux_.why_.ok()) return mux_.why_;
    if (inbox.empty()) return MakeFailure(FailureKind::kPeerGone, "the other end closed the control channel");
    PeerMessage message = std::move(inbox.front());
    inbox.pop_front();
    return message;
  }

  PeerState Poll() override {
    const std::lock_guard lock(mux_.mutex_);
    if (!mux_.inboxes_[index_].empty() || !mux_.why_.ok()) return PeerState::kMessage;
    return mux_.closed_ ? PeerState::kClosed : PeerState::kQuiet;
  }

 private:
  LaneMux& mux_;
  const std::uint32_t index_;
};

LaneMux::LaneMux(PeerChannel& inner, std::uint32_t lanes) : inner_(inner), inboxes_(lanes) {
  for (std::uint32_t i = 0; i < lanes; ++i) lanes_.push_back(std::make_unique<Lane>(*this, i));
  reader_ = std::jthread([this](const std::stop_token& stop) { Read(stop); });
}

void LaneMux::Read(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    absl::StatusOr<PeerMessage> message = inner_.Receive(std::chrono::steady_clock::now() + kLook);
    if (absl::IsDeadlineExceeded(message.status())) continue;
    // A channel that is open and gives no message has more to tell than that it closed.
    const bool told = !message.ok() && inner_.Poll() != PeerState::kClosed;
    const std::lock_guard lock(mutex_);
    if (told) why_ = message.status();
    closed_ = !message.ok() || !Deliver(*std::move(message));
    changed_.notify_all();
    if (closed_) return;
  }
}

bool LaneMux::Deliver(PeerMessage message) {
  if (message.lane >= inboxes_.size() || inboxes_[message.lane].size() >= kMaxQueued) return false;
  std::deque<PeerMessage>& inbox = inboxes_[message.lane];
  inbox.push_back(std::move(message));
  return true;
}

}  // namespace rdmaready
