// SPDX-License-Identifier: Apache-2.0
#include "hub/fleet/watched_hosts.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "api/base/status.h"

namespace rdmaready::hub {

// Nothing is told while the store is read: a watcher who does not read would keep its log from being cut.
absl::Status WatchedHosts::CatchUp(std::int64_t since_unix_ns, const Told& tell) {
  const std::int64_t now = UnixNs(clock_);
  RR_ASSIGN_OR_RETURN(const std::vector<FleetHost> hosts, view_.Hosts(OfHosts(), now));
  std::vector<FleetChange> changes;
  for (const FleetHost& host : hosts) {
    if (const auto seen = seen_.find(host.host_id); seen != seen_.end())
      RR_RETURN_IF_ERROR(ReadAfter(host.host_id, host.name, seen->second, changes));
  }
  if (since_unix_ns != 0) {
    RR_ASSIGN_OR_RETURN(std::vector<FleetChange> more, view_.Changes(OfHosts(), since_unix_ns, now));
    std::ranges::move(more, std::back_inserter(changes));
  }
  // By host and number: what one report changed has one time.
  std::ranges::sort(changes, [](const FleetChange& a, const FleetChange& b) {
    return std::tie(a.host_id, a.number) < std::tie(b.host_id, b.number);
  });
  for (FleetChange& change : changes) {
    if (!Offer(std::move(change), tell)) break;
  }
  return absl::OkStatus();
}

bool WatchedHosts::Offer(FleetChange&& change, const Told& tell) {
  std::uint64_t& seen = seen_[change.host_id];
  if (change.number <= seen) return true;
  seen = change.number;
  if (!MaySee(change.host_id)) return true;
  const bool chosen =
      filter_.hosts.empty() || IsChosen(filter_.hosts, change.host) || IsChosen(filter_.hosts, change.host_id);
  return !chosen || !IsChosen(filter_.checks, change.check) || tell(change);
}

absl::Status WatchedHosts::OfferLive(FleetChange&& change, const Told& tell) {
  const auto seen = seen_.find(change.host_id);
  std::vector<FleetChange> between;
  if (seen != seen_.end() && change.number > seen->second + 1)
    RR_RETURN_IF_ERROR(ReadAfter(change.host_id, change.host, seen->second, between));
  for (FleetChange& one : between) Offer(std::move(one), tell);
  Offer(std::move(change), tell);
  return absl::OkStatus();
}

absl::Status WatchedHosts::ReadAfter(const std::string& host_id, const std::string& name, std::uint64_t number,
                                     std::vector<FleetChange>& changes) {
  return store_.ChangesAfter(host_id, number, [&](FleetChange&& change) {
    change.host = name;
    changes.push_back(std::move(change));
  });
}

bool WatchedHosts::MaySee(const std::string& host_id) const {
  if (filter_.seen_groups.empty() && filter_.groups.empty()) return true;
  const std::string group = view_.GroupOf(host_id);
  return IsChosen(filter_.seen_groups, group) &&
         (filter_.groups.empty() || std::ranges::find(filter_.groups, group) != filter_.groups.end());
}

FleetFilter WatchedHosts::OfHosts() const {
  FleetFilter filter = filter_;
  filter.checks.clear();
  return filter;
}

}  // namespace rdmaready::hub
