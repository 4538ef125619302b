// SPDX-License-Identifier: Apache-2.0
// Aside: work of a single reply that takes its time. gRPC's own threads are few, and GetVersion needs one.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace rdmaready {

class Aside {
 public:
  Aside() = default;
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  // Waits for what still runs.
  ~Aside() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_ == 0; });
  }

  // On a thread of its own. False: too much runs already.
  bool Run(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      if (running_ == kMost) return false;
      ++running_;
    }
    std::thread([this, work = std::move(work)] {
      work();
      const std::lock_guard lock(mutex_);
      --running_;
      ended_.notify_all();
    }).detach();
    return true;
  }

 private:
  static constexpr int kMost = 32;

  std::mutex mutex_;  // guards what follows
  std::condition_variable ended_;
  int running_ = 0;
};

}  // namespace rdmaready
