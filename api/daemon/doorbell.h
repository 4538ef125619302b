// SPDX-License-Identifier: Apache-2.0
// Doorbell: wakes a thread that waits in poll or epoll, and tells whether it comes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "api/base/clock.h"
#include "api/base/handle.h"

namespace rdmaready {

class Doorbell {
 public:
  explicit Doorbell(Clock& clock);  // which outlives it

  explicit operator bool() const { return static_cast<bool>(fd_); }  // else there was no descriptor for it
  int fd() const { return fd_.get(); }                               // readable from a ring until it is heard

  void Ring();                                       // any thread
  void Heard();                                      // the thread that waits
  bool IsHeard(std::chrono::milliseconds patience);  // rings, and waits until that is heard; any thread

 private:
  Clock& clock_;
  const UniqueFd fd_;
  std::mutex mutex_{};
  std::condition_variable_any changed_{};
  std::uint64_t rung_ = 0;
  std::uint64_t heard_ = 0;  // all up to this one
};

}  // namespace rdmaready
