// SPDX-License-Identifier: Apache-2.0
// StartBarrier: lets several transfers begin at one moment.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace rdmaready {

// Threads: any.
class StartBarrier {
 public:
  explicit StartBarrier(std::size_t parties) : missing_(parties) {}

  // Blocks until all parties have arrived: true. False: the time was up, or one of them will never come. Then
  // no party begins.
  bool Arrive(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    if (missing_ > 0) --missing_;
    if (missing_ == 0) changed_.notify_all();
    changed_.wait_until(lock, deadline, [this] { return missing_ == 0 || broken_; });
    if (missing_ > 0 && !broken_) broken_ = late_ = true;
    if (broken_) changed_.notify_all();
    return !broken_;
  }

  // A party will never come. After all have arrived this changes nothing.
  void Break() {
    const std::lock_guard lock(mutex_);
    if (missing_ > 0) broken_ = true;
    changed_.notify_all();
  }

  // All have arrived in time: each party began.
  bool begun() const {
    const std::lock_guard lock(mutex_);
    return missing_ == 0 && !broken_;
  }

  // Why no party began: the time was up before all had arrived, and none of them had given up.
  bool late() const {
    const std::lock_guard lock(mutex_);
    return late_;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::size_t missing_;
  bool broken_ = false;
  bool late_ = false;
};

}  // namespace rdmaready
