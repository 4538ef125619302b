// SPDX-License-Identifier: Apache-2.0
// A year of a quiet host with two ports, with a clock moved by hand: a check each 15 minutes, live tests
// through both ports each day, and a change a week. The facts are a recorded host's; counters, times and
// neighbours move from check to check. The store is the real one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rdmaready {

struct YearResult {
  std::string error{};  // empty: it went well
  std::size_t checks = 0;
  std::size_t bodies = 0;  // that were stored
  std::uint64_t file_bytes = 0;
  std::size_t baselines = 0;
  std::chrono::nanoseconds baseline_time{};  // of the slowest of some queries of all of them
};

// `directory` is made, and holds the store afterwards.
YearResult LiveThrough(const std::string& directory, int weeks);

}  // namespace rdmaready
