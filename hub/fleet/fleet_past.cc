// SPDX-License-Identifier: Apache-2.0
// What the live tests of a fleet's hosts showed last.
#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "checks/live/own_past.h"
#include "hub/fleet/fleet_view.h"

namespace rdmaready::hub {
namespace {

bool IsAsked(const PastFilter& filter, PastState state, const CaseBaseline& test) {
  if (!filter.states.empty() && std::ranges::find(filter.states, state) == filter.states.end()) return false;
  return IsChosen(filter.ports, test.port) && IsChosen(filter.cases, test.case_name);
}

// What is slower than before first, and of that what lost the most.
bool StandsBefore(const FleetPastTest& a, const FleetPastTest& b) {
  const bool slower = a.state == PastState::kSlower;
  if (slower != (b.state == PastState::kSlower)) return slower;
  if (slower) {
    const auto share = [](const CaseBaseline& test) {
      return static_cast<double>(test.last_bytes_per_s) / static_cast<double>(test.p10_bytes_per_s);
    };
    if (share(a.test) != share(b.test)) return share(a.test) < share(b.test);
  }
  const auto name = [](const FleetPastTest& row) {
    return std::tie(row.host, row.host_id, row.test.port, row.test.case_name, row.test.role, row.test.peer);
  };
  return name(a) < name(b);
}

}  // namespace

absl::StatusOr<std::vector<FleetPastTest>> FleetView::Past(const PastFilter& filter,
                                                           std::int64_t now_unix_ns) const {
  RR_ASSIGN_OR_RETURN(const std::vector<FleetHost> hosts, Hosts(filter.hosts, now_unix_ns));
  std::unordered_map<std::string, const FleetHost*> chosen;
  for (const FleetHost& host : hosts) {
    if (host.condition != HostCondition::kRevoked && !host.host_id.empty()) chosen.emplace(host.host_id, &host);
  }
  std::vector<FleetPastTest> tests;
  const auto take = [&](KeptTest&& kept) {
    const auto host = chosen.find(kept.host_id);
    if (host == chosen.end()) return;
    const PastState state = PastStateOf(kept.test, kept.software, now_unix_ns);
    if (!IsAsked(filter, state, kept.test)) return;
    tests.push_back({.host_id = std::move(kept.host_id),
                     .host = host->second->name,
                     .group = host->second->group,
                     .state = state,
                     .test = std::move(kept.test)});
  };
  if (chosen.empty()) return tests;
  const std::string only = chosen.size() == 1 ? chosen.begin()->first : std::string();
  RR_RETURN_IF_ERROR(store_.Tests(only, take));
  std::ranges::sort(tests, StandsBefore);
  return tests;
}

}  // namespace rdmaready::hub
