// SPDX-License-Identifier: Apache-2.0
#include "agent/port/use_watch.h"

#include <algorithm>
#include <utility>

namespace rdmaready {

UseWatch::UseWatch(std::function<PortUse()> look, Clock& clock, const std::stop_token& cancel,
                   std::optional<WatchEnd> end)
    : look_(std::move(look)),
      clock_(clock),
      end_(std::move(end)),
      cancelled_(cancel, [this] { stop_.request_stop(); }) {
  if (look_ || end_) thread_ = std::jthread([this](const std::stop_token& done) { Watch(done); });
}

std::string UseWatch::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

void UseWatch::Stop(std::string why) {
  {
    const std::lock_guard lock(mutex_);
    reason_ = std::move(why);
  }
  stop_.request_stop();
}

bool UseWatch::AwaitLook(std::chrono::milliseconds until_look, const std::stop_token& done) {
  Clock::TimePoint next = look_ ? clock_.Now() + until_look : Clock::TimePoint::max();
  if (end_) next = std::min(next, end_->when);
  if (!clock_.SleepUntil(next, done)) return false;
  if (!end_ || clock_.Now() < end_->when) return true;
  Stop(end_->why);
  return false;
}

void UseWatch::Watch(const std::stop_token& done) {
  using Kind = PortUse::Kind;
  Kind last = Kind::kFree;
  while (AwaitLook(last == Kind::kFree ? kLookDuringTest : kSecondLook, done)) {
    const PortUse use = look_();
    if (done.stop_requested()) return;
    const bool doubted = last != Kind::kFree;
    last = use.kind;
    if (use.kind == Kind::kFree || !doubted) continue;
    return Stop(use.kind == Kind::kUsed
                    ? "RDMA port " + use.port + " came into use by " + use.text + ": the test was stopped"
                    : "whether others use RDMA port " + use.port + " is no longer known: " + use.text +
                          ": the test was stopped");
  }
}

}  // namespace rdmaready
