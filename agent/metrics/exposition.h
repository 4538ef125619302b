// SPDX-License-Identifier: Apache-2.0
// Exposition: what metrics tell, in Prometheus's text format 0.0.4. Pure: what is not in the state is not told.
//
// Every label value is one of a closed list, or names a port, a subject or a profile of this host. A port has
// at most 60 series (tests/unit/agent/metrics). agent/README.md has the families.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "agent/access/role.h"
#include "agent/metrics/book.h"
#include "api/metrics/own_cost.h"

namespace rdmaready::metrics {

// What the agent is at this moment, beside what it did.
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

inline constexpr std::uint16_t kMetricsPort = 7472;

std::string Exposition(const AgentNow& now, const Kept& kept, const OwnCost& cost);

}  // namespace rdmaready::metrics
