// SPDX-License-Identifier: Apache-2.0
#include "api/client/beating.h"

#include <grpcpp/client_context.h>

#include <chrono>
#include <utility>

#include "api/base/clock.h"
#include "api/base/run_id.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kBetween{100};
constexpr std::chrono::seconds kAnswered{2};

}  // namespace

Beating::Beating(Say say, bool known) : say_(std::move(say)), word_(known ? MakeRunId() : "") {
  if (known) thread_ = std::jthread([this](const std::stop_token& done) { Beat(done); });
}

Beating::~Beating() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  if (running_ != nullptr) running_->TryCancel();
}

void Beating::Beat(const std::stop_token& done) {
  std::unique_lock lock(mutex_);
  while (!done.stop_requested()) {
    grpc::ClientContext context;
    context.set_deadline(DeadlineIn(kAnswered));
    running_ = &context;
    lock.unlock();
    say_(context, word_);
    lock.lock();
    running_ = nullptr;
    RealClock().WaitUntil(wake_, lock, done, RealClock().Now() + kBetween, [] { return false; });
  }
}

}  // namespace rdmaready
