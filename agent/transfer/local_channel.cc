// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/local_channel.h"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

#include "agent/link/failure.h"

namespace rdmaready {
namespace {

struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::array<std::deque<PeerMessage>, 2> to;  // by receiving end
  std::array<bool, 2> closed{};               // by end
};

absl::Status Closed() {
  return MakeFailure(FailureKind::kPeerGone, "the other end closed the control channel");
}

class LocalChannel final : public PeerChannel {
 public:
  LocalChannel(std::shared_ptr<Shared> shared, std::size_t end) : shared_(std::move(shared)), end_(end) {}

  ~LocalChannel() override {
    const std::lock_guard lock(shared_->mutex);
    shared_->closed[end_] = true;
    shared_->changed.notify_all();
  }

  absl::Status Send(const PeerMessage& message) override {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->closed[Other()]) return Closed();
    shared_->to[Other()].push_back(message);
    shared_->changed.notify_all();
    return absl::OkStatus();
  }

  absl::StatusOr<PeerMessage> Receive(TimePoint deadline) override {
    std::unique_lock lock(shared_->mutex);
    auto& inbox = shared_->to[end_];
    const auto ready = [&] { return !inbox.empty() || shared_->closed[Other()]; };
    if (!shared_->changed.wait_until(lock, deadline, ready))
      return absl::DeadlineExceededError("no message in time");
    if (inbox.empty()) return Closed();
    PeerMessage message = std::move(inbox.front());
    inbox.pop_front();
    return message;
  }

  PeerState Poll() override {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->to[end_].empty()) return PeerState::kMessage;
    return shared_->closed[Other()] ? PeerState::kClosed : PeerState::kQuiet;
  }

 private:
  std::size_t Other() const { return 1 - end_; }

  const std::shared_ptr<Shared> shared_;
  const std::size_t end_;
};

}  // namespace

std::pair<std::unique_ptr<PeerChannel>, std::unique_ptr<PeerChannel>> MakeLocalChannel() {
  const auto shared = std::make_shared<Shared>();
  return {std::make_unique<LocalChannel>(shared, 0), std::make_unique<LocalChannel>(shared, 1)};
}

}  // namespace rdmaready
