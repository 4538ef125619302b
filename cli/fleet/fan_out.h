// SPDX-License-Identifier: Apache-2.0
// FanOut: the same work for many hosts, a bounded number at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

namespace rdmaready {

inline constexpr std::size_t kMaxParallel = 32;

// Calls work(0) .. work(count - 1), each once, from at most `at_a_time` threads; returns when all are done.
// Where no more threads can be had, with fewer; the caller's own is one of them then.
inline void FanOut(std::size_t count, const std::function<void(std::size_t)>& work,
                   std::size_t at_a_time = kMaxParallel) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t mine = next++; mine < count; mine = next++) work(mine);
  };
  std::vector<std::jthread> threads;
  const std::size_t workers = std::min({count, at_a_time, kMaxParallel});
  threads.reserve(workers);
  try {
    while (threads.size() < workers) threads.emplace_back(take);
  } catch (const std::system_error&) {
    take();
  }
}

}  // namespace rdmaready
