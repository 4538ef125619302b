// SPDX-License-Identifier: Apache-2.0
// AgentNow: the state of an agent for its metrics. Its past is in Book.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rdmaready::metrics {

// The agent at this moment, without its past.
struct Served {
  std::uint64_t observe = 0;
  std::uint64_t test = 0;
  std::uint64_t prove = 0;
  std::uint64_t apply = 0;
};

struct AgentNow {
  std::string version{};
  double check_interval_s = 0;  // 0: the agent makes no check of its own
  double started_unix_s = 0;
  Served served{};
  std::uint64_t refused_by_role = 0;
  std::uint64_t refused_by_quota = 0;
  std::uint64_t readings = 0;  // of the host, since the start
  std::size_t readings_waiting = 0;
  bool reading_stuck = false;
  bool live_test_running = false;
  bool drift_watched = false;
};

}  // namespace rdmaready::metrics
