// SPDX-License-Identifier: Apache-2.0
// FanOut: the same work for many hosts, a bounded number at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace rdmaready {

inline constexpr std::size_t kMaxParallel = 32;

// Calls work(0) .. work(count - 1), each once, from at most kMaxParallel threads; returns when all are done.
inline void FanOut(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  const std::size_t workers = std::min(count, kMaxParallel);
  for (std::size_t i = 0; i < workers; ++i) {
    threads.emplace_back([&] {
      for (std::size_t mine = next++; mine < count; mine = next++) work(mine);
    });
  }
}

}  // namespace rdmaready
