// SPDX-License-Identifier: Apache-2.0
#include "api/client/beating.h"

#include <chrono>

#include "api/base/clock.h"
#include "api/base/run_id.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kBetween{200};
constexpr std::chrono::seconds kAnswered{2};

}  // namespace

Beating::Beating(v1::Agent::Stub& stub, bool known) : stub_(stub), word_(known ? MakeRunId() : "") {
  if (known) thread_ = std::jthread([this](const std::stop_token& done) { Beat(done); });
}

Beating::~Beating() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  if (running_ != nullptr) running_->TryCancel();
}

void Beating::Beat(const std::stop_token& done) {
  v1::GetVersionRequest request;
  request.set_beat(word_);
  std::unique_lock lock(mutex_);
  while (!done.stop_requested()) {
    grpc::ClientContext context;
    context.set_deadline(DeadlineIn(kAnswered));
    running_ = &context;
    lock.unlock();
    v1::GetVersionResponse response;
    // An agent that is gone shows in the call itself.
    static_cast<void>(stub_.GetVersion(&context, request, &response));
    lock.lock();
    running_ = nullptr;
    RealClock().WaitUntil(wake_, lock, done, RealClock().Now() + kBetween, [] { return false; });
  }
}

}  // namespace rdmaready
