// SPDX-License-Identifier: Apache-2.0
// Eventually: the one wait of a test for what another thread or the kernel does.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace rdmaready {

// Asks `holds` each millisecond, and returns true as soon as it holds. After a minute it returns false: only a
// test that fails waits so long. `holds` is called without a lock: it takes the locks that it needs.
inline bool Eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace rdmaready
