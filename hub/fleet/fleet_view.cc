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

using FindingId =
    std::tuple<std::string, std::string, std::string, std::string>;  // host, check, subject, profile

using Names = std::unordered_map<std::string, std::string>;  // of hosts, by id

Names NamesOf(const std::vector<FleetHost>& hosts) {
  Names names;
  for (const FleetHost& host : hosts) {
    if (!host.host_id.empty()) names.emplace(host.host_id, host.name);
  }
  return names;
}

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
    }
    if (revoked) {
      host.revoked_unix_ns = revoked->unix_ns;
      host.revoked_why = revoked->why;
    }
    host.condition = ConditionOf(host, !known.mark.run_id.empty(), silent_before);
    if (std::string why = book_.identities().Contested(host.host_id, now_unix_ns); !why.empty() && !revoked) {
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

absl::StatusOr<std::vector<FleetFinding>> FleetView::Findings(const FleetFilter& filter,
                                                              std::int64_t now_unix_ns) const {
  FleetFilter of_hosts = filter;
  of_hosts.checks.clear();  // what is over is asked for, too
  RR_ASSIGN_OR_RETURN(const std::vector<FleetHost> hosts, Hosts(of_hosts, now_unix_ns));
  const Names names = NamesOf(hosts);
  std::vector<FleetFinding> findings;
  const auto take = [&](FleetFinding&& finding) {
    const auto name = names.find(finding.host_id);
    if (name == names.end() || !IsChosen(filter.checks, finding.check)) return;
    finding.host = name->second;
    findings.push_back(std::move(finding));
  };
  if (names.empty()) return findings;
  if (hosts.size() == 1) {
    RR_RETURN_IF_ERROR(store_.Findings(hosts.front().host_id, take));
  } else {
    RR_RETURN_IF_ERROR(store_.Findings({}, take));
  }
  std::ranges::stable_sort(findings, [](const FleetFinding& a, const FleetFinding& b) {
    return std::tie(a.host, a.host_id, a.check, a.subject) < std::tie(b.host, b.host_id, b.check, b.subject);
  });
  return findings;
}

absl::StatusOr<std::vector<FleetChange>> FleetView::Changes(const FleetFilter& filter,
                                                            std::int64_t since_unix_ns,
                                                            std::int64_t before_unix_ns,
                                                            std::int64_t now_unix_ns) const {
  FleetFilter of_hosts = filter;
  of_hosts.checks.clear();
  RR_ASSIGN_OR_RETURN(const std::vector<FleetHost> hosts, Hosts(of_hosts, now_unix_ns));
  const Names names = NamesOf(hosts);
  std::vector<FleetChange> changes;
  const auto take = [&](FleetChange&& change) {
    const auto name = names.find(change.host_id);
    if (name == names.end() || !IsChosen(filter.checks, change.check)) return;
    change.host = name->second;
    changes.push_back(std::move(change));
  };
  if (names.empty()) return changes;
  const std::int64_t before = before_unix_ns != 0 ? before_unix_ns : std::numeric_limits<std::int64_t>::max();
  const std::string only = hosts.size() == 1 ? hosts.front().host_id : std::string();
  RR_RETURN_IF_ERROR(store_.Changes(only, since_unix_ns, before, take));
  std::ranges::stable_sort(changes, std::greater(), &FleetChange::last_unix_ns);
  return changes;
}

absl::StatusOr<std::vector<FleetDifference>> FleetView::Diff(const FleetFilter& filter, std::int64_t at_unix_ns,
                                                             std::int64_t now_unix_ns) const {
  RR_ASSIGN_OR_RETURN(std::vector<FleetChange> changes, Changes(filter, at_unix_ns, 0, now_unix_ns));
  std::map<FindingId, FleetDifference> differences;
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {  // oldest first
    const auto [place, fresh] =
        differences.try_emplace({change->host_id, change->check, change->subject, change->profile});
    FleetDifference& difference = place->second;
    if (fresh) {
      difference = {.host_id = change->host_id,
                    .host = change->host,
                    .check = change->check,
                    .subject = change->subject,
                    .profile = change->profile,
                    .then = change->before};
    }
    difference.now = change->after;
    difference.observed = change->observed;
    difference.times += change->times;
  }
  std::vector<FleetDifference> result;
  for (auto& [id, difference] : differences) {
    if (difference.then != difference.now || difference.check.empty()) result.push_back(std::move(difference));
  }
  std::ranges::stable_sort(result, [](const FleetDifference& a, const FleetDifference& b) {
    return std::tie(a.host, a.host_id, a.check, a.subject) < std::tie(b.host, b.host_id, b.check, b.subject);
  });
  return result;
}

}  // namespace rdmaready::hub
