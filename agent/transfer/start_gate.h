// SPDX-License-Identifier: Apache-2.0
// StartGate: lets the lanes of one end begin their measured part at the same moment.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "absl/status/status.h"
#include "agent/link/failure.h"

namespace rdmaready {

class StartGate {
 public:
  // Opens when `lanes` lanes have arrived. Any thread may call any method.
  explicit StartGate(std::uint32_t lanes) : awaited_(lanes) {}

  // This lane can begin.
  void Arrive() {
    const std::lock_guard lock(mutex_);
    if (awaited_ > 0 && --awaited_ == 0) changed_.notify_all();
  }

  // This lane will not begin; nor need the others.
  void GiveUp() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    changed_.notify_all();
  }

  // Until it is open. kPeerGone, the least telling of failures, when a lane gave up, which tells why itself; or
  // what `interrupted` said, asked every 20 ms.
  absl::Status Await(const std::function<absl::Status()>& interrupted) {
    while (true) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, std::chrono::milliseconds(20), [&] { return awaited_ == 0 || given_up_; });
        if (awaited_ == 0) return absl::OkStatus();
        if (given_up_)
          return MakeFailure(FailureKind::kPeerGone, "another queue pair of the test did not begin");
      }
      if (absl::Status status = interrupted(); !status.ok()) return status;
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t awaited_;
  bool given_up_ = false;
};

}  // namespace rdmaready
