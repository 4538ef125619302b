// SPDX-License-Identifier: Apache-2.0
// UseWatch: stops a live test when somebody else begins to use its port, or when its time is over.
//
// Looks every 500 ms, on a thread of its own, and 100 ms after a look that saw a user. Two looks in a row that
// see a user, or cannot tell, stop the test. One is not enough: a queue pair of this process may be listed
// while its thread ends, and then the kernel names no process for it. A user that comes is noticed within 600
// ms and the time of two looks.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "agent/port/port_use.h"
#include "api/base/clock.h"

namespace rdmaready {

inline constexpr std::chrono::milliseconds kLookDuringTest{500};
inline constexpr std::chrono::milliseconds kSecondLook{100};

// When the watch stops the test in any case, and the reason that it gives.
struct WatchEnd {
  Clock::TimePoint when{};
  std::string why{};
};

// Threads: all methods may be called from any thread.
class UseWatch {
 public:
  // `look` is called on the watch's thread until the destructor has returned; empty: nobody is looked for. A
  // look that is under way at the end delays it. `clock` outlives this.
  UseWatch(std::function<PortUse()> look, Clock& clock, const std::stop_token& cancel,
           std::optional<WatchEnd> end = std::nullopt);
  UseWatch(const UseWatch&) = delete;
  UseWatch& operator=(const UseWatch&) = delete;
  // Waits for a look that is under way.
  ~UseWatch() = default;

  // Requested when the test has to stop: a user came, its time is over, or `cancel` was.
  std::stop_token token() const { return stop_.get_token(); }

  // Why the watch stopped the test: "RDMA port rxe0/1 came into use by rping (pid 7): the test was stopped";
  // empty while it has not.
  std::string reason() const;

 private:
  void Watch(const std::stop_token& done);
  // Sleeps until it is time for a look. False: the test is over, or its time is.
  bool AwaitLook(std::chrono::milliseconds until_look, const std::stop_token& done);
  void Stop(std::string why);

  const std::function<PortUse()> look_;
  Clock& clock_;
  const std::optional<WatchEnd> end_;
  mutable std::mutex mutex_;  // guards reason_
  std::string reason_{};
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> cancelled_;
  std::jthread thread_;
};

}  // namespace rdmaready
