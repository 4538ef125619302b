// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/host_status.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>

#include "api/model/open_change.h"
#include "checks/readiness.h"

namespace rdmaready {
namespace {

constexpr std::string_view kStartedEvent = "started";
constexpr std::string_view kHubEvent = "hub";
constexpr std::string_view kDrift = "drift: ";  // of StoreEvent::text

std::string FieldOf(const AgentEvent& event, std::string_view key) {
  for (const auto& [name, value] : event.fields) {
    if (name == key) return value;
  }
  return {};
}

bool IsWaiting(ChangeState state) {
  return StillOpen(state) || state == ChangeState::kRollbackFailed || state == ChangeState::kUnknown;
}

}  // namespace

bool NeedsPerson(const HostStatus& host) { return !host.changes.empty() || !host.notices.empty(); }

ExitStatus StatusOf(const StatusRun& run) {
  ExitStatus status = ExitStatus::kOk;
  for (const HostStatus& host : run.hosts) {
    if (NeedsPerson(host)) status = Worse(status, ExitStatus::kNotReady);
    status = Worse(status, host.failure);
  }
  return status;
}

std::vector<std::size_t> UrgentFirst(const StatusRun& run) {
  const auto place = [&run](std::size_t i) {
    const HostStatus& host = run.hosts[i];
    const auto failed = [](const Change& change) { return change.state == ChangeState::kRollbackFailed; };
    if (std::ranges::any_of(host.changes, failed)) return 0;
    if (NeedsPerson(host)) return 1;
    if (host.failure != ExitStatus::kOk) return 2;
    const bool ready = !host.last_check || host.last_check->verdict == Readiness::kReady;
    if (!ready) return 3;
    return host.drift.empty() ? 5 : 4;
  };
  std::vector<std::size_t> order(run.hosts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, place);
  return order;
}

std::vector<Change> OpenChangesOf(const ApplierStatus& status) {
  std::vector<Change> open;
  std::ranges::copy_if(status.changes, std::back_inserter(open),
                       [](const Change& change) { return IsWaiting(change.state); });
  return open;
}

LastCheck LastCheckOf(const RunRecord& run) {
  LastCheck last{.run_id = run.run_id,
                 .started_unix_ns = run.started_unix_ns,
                 .level = run.level,
                 .verdict = run.report.verdict};
  for (const Finding& finding : run.report.findings) {
    const bool known = std::ranges::find(last.ids, finding.id) != last.ids.end();
    if (BlocksReadiness(finding) && finding.hidden_by.empty() && !known) last.ids.push_back(finding.id);
  }
  return last;
}

std::optional<HubLink> HubLinkOf(const std::vector<AgentEvent>& events) {
  std::optional<HubLink> link;
  for (const AgentEvent& event : events) {
    if (event.name == kHubEvent) {
      link = HubLink{.hub = FieldOf(event, "hub"), .since_unix_ns = event.unix_ns};
    } else if (event.name == "hub-away" || event.name == "hub-refused") {
      link = HubLink{.hub = link ? link->hub : std::string(),
                     .since_unix_ns = event.unix_ns,
                     .trouble = FieldOf(event, "reason")};
    }
  }
  return link;
}

std::int64_t StartOf(const std::vector<AgentEvent>& events) {
  const auto started = std::ranges::find(events, kStartedEvent, &AgentEvent::name);
  return started == events.end() ? 0 : started->unix_ns;
}

std::vector<StoreEvent> DriftIn(const std::vector<StoreEvent>& events, std::int64_t since_unix_ns) {
  std::vector<StoreEvent> drift;
  for (const StoreEvent& event : events) {
    if (event.unix_ns < since_unix_ns || !event.text.starts_with(kDrift)) continue;
    drift.push_back({.unix_ns = event.unix_ns, .text = event.text.substr(kDrift.size())});
  }
  return drift;
}

}  // namespace rdmaready
