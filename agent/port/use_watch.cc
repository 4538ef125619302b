// SPDX-License-Identifier: Apache-2.0
#include "agent/port/use_watch.h"

#include <utility>

namespace rdmaready {

UseWatch::UseWatch(std::function<PortUse()> look, Clock& clock, const std::stop_token& cancel)
    : look_(std::move(look)), clock_(clock), cancelled_(cancel, [this] { stop_.request_stop(); }) {
  if (look_) thread_ = std::jthread([this](const std::stop_token& done) { Watch(done); });
}

std::string UseWatch::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

void UseWatch::Watch(const std::stop_token& done) {
  using Kind = PortUse::Kind;
  Kind last = Kind::kFree;
  while (clock_.SleepUntil(clock_.Now() + (last == Kind::kFree ? kLookDuringTest : kSecondLook), done)) {
    const PortUse use = look_();
    if (done.stop_requested()) return;
    const bool doubted = last != Kind::kFree;
    last = use.kind;
    if (use.kind == Kind::kFree || !doubted) continue;
    {
      const std::lock_guard lock(mutex_);
      reason_ = use.kind == Kind::kUsed
                    ? "RDMA port " + use.port + " came into use by " + use.text + ": the test was stopped"
                    : "whether others use RDMA port " + use.port + " is no longer known: " + use.text +
                          ": the test was stopped";
    }
    stop_.request_stop();
    return;
  }
}

}  // namespace rdmaready
