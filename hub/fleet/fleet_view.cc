// SPDX-License-Identifier: Apache-2.0
#include "hub/fleet/fleet_view.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "api/base/name_pattern.h"
#include "api/base/status.h"
#include "checks/catalog.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kMostNames = 5;  // of hosts that have one finding in common

HostCondition ConditionOf(const FleetHost& host, bool reported, std::int64_t silent_before) {
  if (host.revoked_unix_ns != 0) return HostCondition::kRevoked;
  if (!reported) return HostCondition::kNeverReported;
  if (host.seen_unix_ns < silent_before) return HostCondition::kSilent;
  if (!host.trouble.empty()) return HostCondition::kUndetermined;
  switch (host.last_verdict) {
    case Readiness::kReady:
      return HostCondition::kReady;
    case Readiness::kNotReady:
      return HostCondition::kNotReady;
    case Readiness::kUndetermined:
      return HostCondition::kUndetermined;
  }
  return HostCondition::kUnknown;
}

void CountHost(const FleetHost& host, std::int64_t now, ConditionCounts& counts) {
  switch (host.condition) {
    case HostCondition::kReady:
      ++counts.ready;
      break;
    case HostCondition::kNotReady:
      ++counts.not_ready;
      break;
    case HostCondition::kUnknown:
    case HostCondition::kUndetermined:
      ++counts.undetermined;
      break;
    case HostCondition::kSilent:
      ++counts.silent;
      break;
    case HostCondition::kNeverReported:
      ++counts.never_reported;
      break;
    case HostCondition::kRevoked:
      ++counts.revoked;
      return;
  }
  if (host.maintenance_until_unix_ns > now) ++counts.maintenance;
  if (host.unlisted) ++counts.unlisted;
}

bool HasOne(const std::vector<std::string>& words, const std::string& word) {
  return words.empty() || std::ranges::find(words, word) != words.end();
}

bool IsHostChosen(const FleetFilter& filter, const FleetHost& host) {
  if (!IsChosen(filter.seen_groups, host.group)) return false;
  if (!HasOne(filter.groups, host.group) || !HasOne(filter.racks, host.rack)) return false;
  if (!filter.conditions.empty() &&
      std::ranges::find(filter.conditions, host.condition) == filter.conditions.end())
    return false;
  return filter.hosts.empty() || IsChosen(filter.hosts, host.name) || IsChosen(filter.hosts, host.host_id);
}

// What stands first in the way of hosts that are not ready, by how many have it.
std::vector<CommonFinding> FirstFindings(const std::vector<FleetHost>& hosts) {
  std::map<std::string, CommonFinding> by_check;
  for (const FleetHost& host : hosts) {
    const bool counts =
        host.condition == HostCondition::kNotReady || host.condition == HostCondition::kUndetermined;
    if (!counts || host.first_check.empty()) continue;
    CommonFinding& common = by_check[host.first_check];
    if (common.hosts++ == 0) {
      common.check = host.first_check;
      common.observed = host.first_observed;
      common.blocking = true;
      if (const Check* check = FindCheck(host.first_check)) common.title = std::string(check->title);
    }
    if (common.names.size() < kMostNames) common.names.push_back(host.name);
  }
  std::vector<CommonFinding> findings;
  for (auto& [check, common] : by_check) findings.push_back(std::move(common));
  std::ranges::stable_sort(findings, std::greater(), &CommonFinding::hosts);
  return findings;
}

// Not well: what is wrong first, then what is not known, each the longest first.
int Oddness(const FleetHost& host) {
  switch (host.condition) {
    case HostCondition::kNotReady:
      return 0;
    case HostCondition::kSilent:
      return 1;
    case HostCondition::kUndetermined:
    case HostCondition::kUnknown:
      return 2;
    case HostCondition::kNeverReported:
      return 3;
    case HostCondition::kReady:
    case HostCondition::kRevoked:
      return 4;
  }
  return 4;
}

std::vector<FleetHost> NotWell(const std::vector<FleetHost>& hosts, std::size_t most, std::int64_t now) {
  std::vector<const FleetHost*> odd;
  for (const FleetHost& host : hosts) {
    const bool odd_one = host.condition != HostCondition::kReady && host.condition != HostCondition::kRevoked;
    if (odd_one && host.maintenance_until_unix_ns <= now) odd.push_back(&host);
  }
  const auto before = [](const FleetHost* a, const FleetHost* b) {
    const auto place = [](const FleetHost& host) { return std::pair(Oddness(host), host.since_unix_ns); };
    return place(*a) != place(*b) ? place(*a) < place(*b) : a->name < b->name;
  };
  const auto end = odd.begin() + static_cast<std::ptrdiff_t>(std::min(most, odd.size()));
  std::partial_sort(odd.begin(), end, odd.end(), before);
  std::vector<FleetHost> named;
  for (auto host = odd.begin(); host != end; ++host) named.push_back(**host);
  return named;
}

// Hosts of the inventory, as the store's ones are met.
class ExpectedHosts {
 public:
  explicit ExpectedHosts(const HostPlaces* places) : places_(places) {}

  // One that was revoked is not there: whoever takes its place is expected still.
  void Meet(FleetHost& host, bool revoked) {
    if (places_ == nullptr) return;
    const HostPlace* place = places_->Find(host.name);
    host.unlisted = place == nullptr;
    if (place != nullptr && !revoked) met_.insert(place);
  }

  std::vector<FleetHost> NotMet() const {
    std::vector<FleetHost> hosts;
    if (places_ == nullptr) return hosts;
    for (const HostPlace& place : places_->all()) {
      if (met_.contains(&place)) continue;
      FleetHost host{.name = place.name, .group = place.group, .rack = place.rack};
      host.condition = HostCondition::kNeverReported;
      hosts.push_back(std::move(host));
    }
    return hosts;
  }

 private:
  const HostPlaces* places_;
  std::unordered_set<const HostPlace*> met_{};
};

}  // namespace

bool IsChosen(const std::vector<std::string>& patterns, std::string_view word) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
           return MatchesPattern(pattern, word);
         });
}

absl::StatusOr<std::vector<FleetHost>> FleetView::Hosts(const FleetFilter& filter,
                                                        std::int64_t now_unix_ns) const {
  std::set<std::string> with_findings;
  if (!filter.checks.empty()) {
    RR_RETURN_IF_ERROR(store_.Findings({}, [&](FleetFinding&& finding) {
      if (finding.over_unix_ns == 0 && IsChosen(filter.checks, finding.check))
        with_findings.insert(finding.host_id);
    }));
  }
  const std::int64_t silent_before =
      now_unix_ns - kSilentAfterPeriods * std::chrono::nanoseconds(period_).count();
  const std::int64_t steady_now_ns = book_.SteadyNowNs();
  const std::shared_ptr<const RuleBook> rules = rules_();
  ExpectedHosts expected(rules->places());
  std::vector<FleetHost> hosts;
  RR_RETURN_IF_ERROR(store_.Hosts([&](KnownHost&& known) {
    FleetHost& host = known.host;
    const auto revoked = revoked_ ? revoked_(host.host_id) : std::nullopt;
    expected.Meet(host, revoked.has_value());
    if (const std::optional<HostNow> now = book_.Find(host.host_id)) {
      host.seen_unix_ns = now->seen_unix_ns;
      host.clock_ahead_ns = now->clock_ahead_ns;
      host.agent_version = now->agent.agent_version;
      host.boot_id = now->agent.boot_id;
    }
    if (revoked) {
      host.revoked_unix_ns = revoked->unix_ns;
      host.revoked_why = revoked->why;
    }
    host.condition = ConditionOf(host, !known.mark.run_id.empty(), silent_before);
    if (std::string why = book_.identities().Contested(host.host_id, steady_now_ns); !why.empty() && !revoked) {
      host.condition = HostCondition::kUndetermined;
      host.trouble = std::move(why);
    }
    if (host.condition == HostCondition::kSilent) host.since_unix_ns = host.seen_unix_ns;
    if (host.condition == HostCondition::kRevoked) host.since_unix_ns = host.revoked_unix_ns;
    if (!filter.checks.empty() && !with_findings.contains(host.host_id)) return;
    if (IsHostChosen(filter, host)) hosts.push_back(std::move(host));
  }));
  for (FleetHost& host : expected.NotMet()) {
    if (filter.checks.empty() && IsHostChosen(filter, host)) hosts.push_back(std::move(host));
  }
  std::ranges::sort(hosts, [](const FleetHost& a, const FleetHost& b) {
    return std::tie(a.name, a.host_id) < std::tie(b.name, b.host_id);
  });
  return hosts;
}

std::string FleetView::GroupOf(const std::string& host_id) const {
  const std::optional<HostNow> now = book_.Find(host_id);
  return now ? now->group : std::string();
}

absl::StatusOr<FleetStatus> FleetView::Status(const FleetFilter& filter, std::size_t most_odd,
                                              std::int64_t now_unix_ns) const {
  RR_ASSIGN_OR_RETURN(const std::vector<FleetHost> hosts, Hosts(filter, now_unix_ns));
  FleetStatus status{.unix_ns = now_unix_ns, .hosts = hosts.size()};
  status.period_s = static_cast<std::uint32_t>(period_.count());
  std::map<std::string, ConditionCounts> groups;
  for (const FleetHost& host : hosts) {
    CountHost(host, now_unix_ns, status.counts);
    CountHost(host, now_unix_ns, groups[host.group]);
  }
  status.hosts -= status.counts.revoked;
  for (const auto& [group, counts] : groups) status.groups.push_back({group, counts});
  status.findings = FirstFindings(hosts);
  status.odd = NotWell(hosts, most_odd, now_unix_ns);
  RR_ASSIGN_OR_RETURN(status.odd_ones, OddOnesOf(hosts, now_unix_ns));
  for (const UsualValue& usual : agreement_.Last()->values) {
    if (usual.state == ComparisonState::kNoMajority && groups.contains(usual.group)) ++status.undecided;
  }
  return status;
}

}  // namespace rdmaready::hub
