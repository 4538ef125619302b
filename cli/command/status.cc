// SPDX-License-Identifier: Apache-2.0
// rdmaready status: what is open on hosts.
#include "api/base/status.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "api/base/run_id.h"
#include "cli/command/apply_flags.h"
#include "cli/fleet/host_answers.h"
#include "cli/fleet/host_status.h"
#include "cli/render/status_json.h"
#include "cli/render/text_status.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kApplierWithin{10'000};
constexpr int kMostDriftAsked = 100;

// Whether no applier is there at all, as the facts of the host say it.
bool HasNoApplier(AgentClient& agent, HostStatus& status) {
  const absl::StatusOr<Facts> facts = agent.GetFacts();
  if (!facts.ok() || facts->apply_state) return false;
  const Missing& missing = facts->apply_state.missing();
  if (missing.kind != Missing::Kind::kUnsupported) return false;
  status.no_applier = missing.detail;
  return true;
}

void AskApplier(AgentClient& agent, HostStatus& status) {
  const absl::StatusOr<ApplierStatus> applier = agent.GetApplier(kApplierWithin);
  status.heard_unix_ns = UnixNowNs();
  if (applier.ok()) {
    status.changes = OpenChangesOf(*applier);
    status.notices = applier->notices;
    status.kept = static_cast<std::uint32_t>(applier->kept.size());
    return;
  }
  if (absl::IsFailedPrecondition(applier.status()) && HasNoApplier(agent, status)) return;
  status.applier_error = Message(applier.status());
  status.failure = std::max(CallFailure(applier.status()), ExitStatus::kOwnFailure);
}

void AskHistory(AgentClient& agent, HostStatus& status) {
  const absl::StatusOr<History> last = agent.ListHistory({.kind = HistoryQuery::Kind::kRuns, .limit = 1});
  if (!last.ok()) {
    status.history_error = Message(last.status());
    return;
  }
  std::int64_t since = 0;
  if (!last->runs.empty()) {
    status.last_check = LastCheckOf(last->runs.front());
    since = status.last_check->started_unix_ns;
  }
  const absl::StatusOr<History> later = agent.ListHistory({.limit = kMostDriftAsked, .since_unix_ns = since});
  if (later.ok()) {
    status.drift = DriftIn(later->events, since);
  } else {
    status.history_error = Message(later.status());
  }
}

HostStatus AskStatus(const HostClient& host) {
  HostStatus status{.host = host.name, .error = host.error, .failure = host.failure};
  if (host.agent == nullptr) return status;
  status.resident = host.local == nullptr;
  const absl::StatusOr<AgentVersion> version = host.agent->GetVersion();
  if (!version.ok()) {
    status.error = Message(version.status());
    status.failure = CallFailure(version.status());
    return status;
  }
  status.agent_version = version->version;
  AskApplier(*host.agent, status);
  AskHistory(*host.agent, status);
  // An agent of an older version keeps no events: then nothing is known of its start and its hub.
  if (const absl::StatusOr<std::vector<AgentEvent>> events = host.agent->GetEvents(); events.ok()) {
    status.hub = HubLinkOf(*events);
    if (status.resident) status.agent_since_unix_ns = StartOf(*events);
  }
  return status;
}

ExitStatus ShowStatus(const Context& context, const StatusRun& run) {
  context.Print(StatusJson(run), StatusText(run, context.style()));
  return StatusOf(run);
}

ExitStatus RunStatus(const Context& context, const HostFlags& named) {
  absl::StatusOr<std::vector<HostClient>> hosts = ClientsOf(named, context);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  context.console.Progress("connecting");
  HostAnswers<HostStatus> answers(*hosts);
  const auto known = [&] {
    return StatusRun{.hosts = answers.All(),
                     .way = SameWay(context.global),
                     .local = !named.Any(),
                     .told_unix_ns = UnixNowNs()};
  };
  context.interrupt.Add([&] {
    if (answers.HasAny()) static_cast<void>(ShowStatus(context, known()));
  });
  answers.AskAll(*hosts, AskStatus);
  if (const absl::Status apart = CheckNoTwins(*hosts); !apart.ok())
    return context.Fail(ExitStatus::kUsage, Message(apart));
  context.interrupt.Disarm();
  context.console.EraseProgress();
  return ShowStatus(context, known());
}

}  // namespace

Action DefineStatus(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto named = std::make_shared<HostFlags>();
  AddHostFlags(app, *named);
  return [named](const Context& context) { return RunStatus(context, *named); };
}

}  // namespace rdmaready
