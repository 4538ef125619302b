// SPDX-License-Identifier: Apache-2.0
// DeadMan: the timer that takes back what nobody confirms.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "api/base/clock.h"

namespace rdmaready::apply {

// Arm and Disarm: any thread; neither waits for `due`, so both may be called while what `due` needs is held.
class DeadMan {
 public:
  // `due` is called on the timer's own thread, once for each Arm whose time came. It looks by itself whether
  // there still is something to do: Disarm may have come while it waited.
  DeadMan(Clock& clock, std::function<void()> due);
  ~DeadMan();

  // In place of what was armed before.
  void Arm(Clock::TimePoint when);
  void Disarm();

 private:
  void Run(const std::stop_token& stop);

  Clock& clock_;
  const std::function<void()> due_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::optional<Clock::TimePoint> when_{};
  std::stop_source sleep_{};  // of the sleep that goes on
  std::jthread thread_;       // last: it uses all of the above
};

}  // namespace rdmaready::apply
