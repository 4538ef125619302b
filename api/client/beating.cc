// SPDX-License-Identifier: Apache-2.0
#include "api/client/beating.h"

#include <grpcpp/client_context.h>

#include <chrono>
#include <utility>

#include "api/base/clock.h"
#include "api/base/run_id.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kBetween{200};  // CallWatch misses a caller after 0.8 s
constexpr std::chrono::seconds kAnswered{2};
constexpr std::size_t kMostRunning = 10;  // as many as begin until the first one is given up

}  // namespace

struct Beating::OneBeat {
  grpc::ClientContext context{};
};

Beating::Beating(Say say, bool known) : say_(std::move(say)), word_(known ? MakeRunId() : "") {
  if (known) thread_ = std::jthread([this](const std::stop_token& done) { Beat(done); });
}

Beating::~Beating() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  std::unique_lock lock(mutex_);
  for (OneBeat& beat : running_) beat.context.TryCancel();
  wake_.wait(lock, [this] { return running_.empty(); });
}

void Beating::Beat(const std::stop_token& done) {
  while (!done.stop_requested()) {
    BeginOne();
    std::unique_lock lock(mutex_);
    RealClock().WaitUntil(wake_, lock, done, RealClock().Now() + kBetween, [] { return false; });
  }
}

void Beating::BeginOne() {
  std::list<OneBeat> over;
  std::list<OneBeat>::iterator beat;
  {
    const std::lock_guard lock(mutex_);
    over.swap(ended_);
    if (running_.size() >= kMostRunning) return;
    beat = running_.emplace(running_.end());
  }
  beat->context.set_deadline(DeadlineIn(kAnswered));
  say_(beat->context, word_, [this, beat] {
    const std::lock_guard lock(mutex_);
    ended_.splice(ended_.end(), running_, beat);
    wake_.notify_all();
  });
}

}  // namespace rdmaready
