// SPDX-License-Identifier: Apache-2.0
#include "hub/metrics/fleet_counter.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rdmaready::hub {

FleetSums FleetCounter::Counted() const {
  FleetSums sums;
  const std::int64_t now = UnixNs(clock_);
  absl::StatusOr<FleetStatus> status = view_.Status({}, 0, now);
  if (!status.ok()) return {};
  sums.groups = std::move(status->groups);
  std::set<std::string> gone;
  if (status->counts.revoked > 0) {
    const absl::StatusOr<std::vector<FleetHost>> revoked =
        view_.Hosts({.conditions = {HostCondition::kRevoked}}, now);
    if (!revoked.ok()) return {};
    for (const FleetHost& host : *revoked) gone.insert(host.host_id);
  }
  const absl::Status read = store_.Findings({}, [&](FleetFinding&& finding) {
    if (finding.over_unix_ns != 0 || gone.contains(finding.host_id)) return;
    ++sums.findings[{std::move(finding.check), finding.outcome}];
    if (finding.acknowledged_unix_ns == 0) ++sums.unacknowledged;
  });
  if (!read.ok()) return {};
  sums.counted_unix_ns = now;
  return sums;
}

FleetSums FleetCounter::Now() {
  const std::lock_guard lock(mutex_);
  const Clock::TimePoint begun = clock_.Now();
  if (sums_.counted_unix_ns != 0 && begun - counted_ < rest_) return sums_;
  sums_ = Counted();
  counted_ = clock_.Now();
  sums_.took_s = std::chrono::duration<double>(counted_ - begun).count();
  return sums_;
}

}  // namespace rdmaready::hub
