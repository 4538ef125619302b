// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/dead_man.h"

#include <utility>

namespace rdmaready::apply {

DeadMan::DeadMan(Clock& clock, std::function<void()> due)
    : clock_(clock), due_(std::move(due)), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

DeadMan::~DeadMan() {
  thread_.request_stop();
  Disarm();
}

void DeadMan::Arm(Clock::TimePoint when) {
  const std::lock_guard lock(mutex_);
  when_ = when;
  sleep_.request_stop();
  changed_.notify_all();
}

void DeadMan::Disarm() {
  const std::lock_guard lock(mutex_);
  when_.reset();
  sleep_.request_stop();
}

void DeadMan::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return when_.has_value(); }), !stop.stop_requested()) {
    const Clock::TimePoint when = *when_;
    sleep_ = std::stop_source();
    const std::stop_token sleep = sleep_.get_token();
    lock.unlock();
    const bool came = clock_.SleepUntil(when, sleep);
    lock.lock();
    if (!came || when_ != when) continue;
    when_.reset();
    lock.unlock();
    due_();
    lock.lock();
  }
}

}  // namespace rdmaready::apply
