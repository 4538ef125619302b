// SPDX-License-Identifier: Apache-2.0
// What a hub tells Prometheus: sums over the fleet, in its text format. Pure. No series is of one host: how
// many there are depends on groups, checks and receivers alone. hub/README.md has the families.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/metrics/own_cost.h"
#include "api/model/fleet.h"
#include "hub/ingest/ingest_counts.h"
#include "hub/ingest/keeper.h"
#include "hub/metrics/latency.h"
#include "hub/notice/courier.h"

namespace rdmaready::hub {

inline constexpr std::size_t kMostMetricGroups = 200;  // the others are summed up as "other"

// What has to be counted over all hosts.
struct FleetSums {
  std::vector<GroupStatus> groups{};
  std::map<std::pair<std::string, Outcome>, std::uint64_t> findings{};  // that hold, by check
  std::uint64_t unacknowledged = 0;                                     // of them
  std::int64_t counted_unix_ns = 0;                                     // 0: they could not be counted
  double took_s = 0;
};

struct HubNow {
  std::string version{};
  double started_unix_s = 0;
  double period_s = 0;
  FleetSums sums{};
  std::uint64_t contested = 0;  // hosts that two agents claim to be
  IngestCounts ingest{};
  KeeperCounts keeper{};
  Latencies commits{};
  std::uint64_t store_bytes = 0;  // 0: not known
  bool store_fails = false;
  std::vector<CourierCounts> couriers{};
};

std::string HubExposition(const HubNow& now, const metrics::OwnCost& cost);

}  // namespace rdmaready::hub
