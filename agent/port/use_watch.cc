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
  int unknown = 0;  // in a row: a kernel that is busy may not answer once
  constexpr int kMostUnknown = 2;
  while (clock_.SleepUntil(clock_.Now() + kLookDuringTest, done)) {
    const PortUse use = look_();
    if (done.stop_requested()) return;
    std::string reason;
    switch (use.kind) {
      case PortUse::Kind::kFree:
        unknown = 0;
        continue;
      case PortUse::Kind::kUsed:
        reason = "RDMA port " + use.port + " came into use by " + use.text + ": the test was stopped";
        break;
      case PortUse::Kind::kUnknown:
        if (++unknown < kMostUnknown) continue;
        reason = "whether others use RDMA port " + use.port + " is no longer known: " + use.text +
                 ": the test was stopped";
        break;
    }
    {
      const std::lock_guard lock(mutex_);
      reason_ = std::move(reason);
    }
    stop_.request_stop();
    return;
  }
}

}  // namespace rdmaready
