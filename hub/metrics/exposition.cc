// SPDX-License-Identifier: Apache-2.0
#include "hub/metrics/exposition.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "api/metrics/families.h"
#include "checks/words/names.h"

namespace rdmaready::hub {
namespace {

using metrics::Families;
using metrics::Family;

double Count(std::uint64_t count) { return static_cast<double>(count); }

std::uint64_t HostsOf(const ConditionCounts& counts) {
  return counts.ready + counts.not_ready + counts.undetermined + counts.silent + counts.never_reported;
}

void AddCounts(const ConditionCounts& more, ConditionCounts& sum) {
  sum.ready += more.ready;
  sum.not_ready += more.not_ready;
  sum.undetermined += more.undetermined;
  sum.silent += more.silent;
  sum.never_reported += more.never_reported;
  sum.maintenance += more.maintenance;
}

// The largest groups, then all others as one.
std::vector<GroupStatus> BoundedGroups(std::vector<GroupStatus> groups) {
  if (groups.size() <= kMostMetricGroups) return groups;
  std::ranges::stable_sort(groups, std::greater(),
                           [](const GroupStatus& group) { return HostsOf(group.counts); });
  GroupStatus other{.group = "other"};
  for (std::size_t i = kMostMetricGroups; i < groups.size(); ++i) AddCounts(groups[i].counts, other.counts);
  groups.resize(kMostMetricGroups);
  const auto same = std::ranges::find(groups, other.group, &GroupStatus::group);
  if (same != groups.end()) {
    AddCounts(other.counts, same->counts);
  } else {
    groups.push_back(std::move(other));
  }
  return groups;
}

void AddHosts(const FleetSums& sums, Families& all) {
  Family hosts =
      all.Gauge("rdmaready_fleet_hosts", "Hosts by condition, and by group where the site file has groups.");
  Family maintenance = all.Gauge("rdmaready_fleet_maintenance_hosts", "Of them, hosts that are worked on.");
  for (const GroupStatus& group : BoundedGroups(sums.groups)) {
    const auto add = [&](std::string_view condition, std::uint64_t count) {
      hosts.Add(Count(count), {{"condition", condition}, {"group", group.group}});
    };
    add("ready", group.counts.ready);
    add("not-ready", group.counts.not_ready);
    add("undetermined", group.counts.undetermined);
    add("silent", group.counts.silent);
    add("never-reported", group.counts.never_reported);
    maintenance.Add(Count(group.counts.maintenance), {{"group", group.group}});
  }
  for (const Family* one : {&hosts, &maintenance}) all.Take(*one);
}

void AddFindings(const FleetSums& sums, Families& all) {
  Family findings =
      all.Gauge("rdmaready_fleet_findings", "What holds on hosts and is not well, by check and outcome.");
  for (const auto& [key, count] : sums.findings)
    findings.Add(Count(count), {{"check", key.first}, {"outcome", Name(key.second)}});
  all.Take(findings);
  all.TakeGauge("rdmaready_fleet_unacknowledged_findings", "Of them, those that nobody acknowledged.",
                Count(sums.unacknowledged));
  constexpr double kNs = 1e9;
  all.TakeGauge("rdmaready_fleet_counted_timestamp_seconds", "When hosts and findings were counted.",
                static_cast<double>(sums.counted_unix_ns) / kNs);
  all.TakeGauge("rdmaready_fleet_count_duration_seconds", "How long that took.", sums.took_s);
}

void AddIngest(const HubNow& now, Families& all) {
  all.TakeGauge("rdmaready_hub_streams", "Agents that are connected.", Count(now.ingest.streams));
  all.TakeCounter("rdmaready_hub_streams_refused_total", "Streams that were turned away.",
                  Count(now.ingest.refused_streams));
  all.TakeCounter("rdmaready_hub_streams_replaced_total", "Streams that another one of the same host ended.",
                  Count(now.ingest.replaced_streams));
  all.TakeCounter("rdmaready_hub_reports_total", "Reports that came.", Count(now.ingest.reports));
  Family results = all.Counter("rdmaready_hub_report_results_total", "What became of them.");
  results.Add(Count(now.ingest.unchanged), {{"result", "unchanged"}});
  results.Add(Count(now.keeper.kept), {{"result", "kept"}});
  results.Add(Count(now.ingest.facts_wanted), {{"result", "facts-wanted"}});
  results.Add(Count(now.ingest.put_off), {{"result", "put-off"}});
  results.Add(Count(now.keeper.refused), {{"result", "refused"}});
  all.Take(results);
  Family waiting = all.Gauge("rdmaready_hub_waiting", "Hosts that wait to be judged: for a report, or again.");
  waiting.Add(Count(now.keeper.waiting), {{"why", "report"}});
  waiting.Add(Count(now.keeper.waiting_again), {{"why", "again"}});
  all.Take(waiting);
  all.TakeCounter("rdmaready_hub_judged_total", "Verdicts that were made and kept.", Count(now.keeper.judged));
}

void AddStore(const HubNow& now, Families& all) {
  Family commits = all.Histogram("rdmaready_hub_commit_duration_seconds",
                                 "How long it took to put a batch of reports on disk.");
  commits.AddHistogram(kLatencyBounds, now.commits.counts, now.commits.sum_s);
  all.Take(commits);
  if (now.store_bytes > 0)
    all.TakeGauge("rdmaready_hub_store_bytes", "Bytes that the store takes.", Count(now.store_bytes));
  all.TakeGauge("rdmaready_hub_store_failing", "Whether the store did not take what was last to be written.",
                now.store_fails ? 1 : 0);
}

void AddNotices(const HubNow& now, Families& all) {
  Family sent = all.Counter("rdmaready_hub_notices_sent_total", "Notices that a receiver took.");
  Family failed = all.Counter("rdmaready_hub_notices_failed_total", "Attempts that failed.");
  Family dropped = all.Counter("rdmaready_hub_notices_dropped_total",
                               "Notices that a receiver will not get: refused, or too many.");
  Family waiting = all.Gauge("rdmaready_hub_notices_waiting", "Notices that are on their way.");
  for (const CourierCounts& courier : now.couriers) {
    sent.Add(Count(courier.sent), {{"receiver", courier.receiver}});
    failed.Add(Count(courier.failed), {{"receiver", courier.receiver}});
    dropped.Add(Count(courier.dropped), {{"receiver", courier.receiver}});
    waiting.Add(Count(courier.waiting), {{"receiver", courier.receiver}});
  }
  for (const Family* one : {&sent, &failed, &dropped, &waiting}) all.Take(*one);
}

}  // namespace

std::string HubExposition(const HubNow& now, const metrics::OwnCost& cost) {
  Families all;
  Family build = all.Gauge("rdmaready_hub_build_info", "1; the version of the hub.");
  build.Add(1, {{"version", now.version}});
  all.Take(build);
  all.TakeGauge("rdmaready_hub_period_seconds", "How often each agent reports.", now.period_s);
  if (now.sums.counted_unix_ns > 0) {
    AddHosts(now.sums, all);
    AddFindings(now.sums, all);
  }
  all.TakeGauge("rdmaready_fleet_contested_hosts",
                "Hosts that two agents report as, in turns: neither is believed.", Count(now.contested));
  AddIngest(now, all);
  AddStore(now, all);
  AddNotices(now, all);
  AddCost(cost, now.started_unix_s, all);
  return all.Text();
}

}  // namespace rdmaready::hub
