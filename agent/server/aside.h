// SPDX-License-Identifier: Apache-2.0
// Aside: work of a single reply that takes its time. gRPC's own threads are few, and GetVersion needs one.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

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

  // Some places are kept for what settles a change: whoever may only look cannot take them all.
  enum class Kind { kLooks, kSettles };

  // On a thread of its own. False: too much runs already, or there is no thread.
  bool Run(std::function<void()> work, Kind kind = Kind::kSettles) {
    {
      const std::lock_guard lock(mutex_);
      if (running_ >= (kind == Kind::kSettles ? kMost : kMostLooks)) return false;
      ++running_;
    }
    try {
      std::thread([this, work = std::move(work)]() mutable {
        work();
        work = nullptr;  // what it holds may be of the owner of this
        Ended();
      }).detach();
    } catch (const std::system_error&) {
      Ended();
      return false;
    }
    return true;
  }

 private:
  void Ended() {
    const std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
  }

  static constexpr int kMost = 32;
  static constexpr int kMostLooks = 24;

  std::mutex mutex_;  // guards what follows
  std::condition_variable ended_;
  int running_ = 0;
};

}  // namespace rdmaready
