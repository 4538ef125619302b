// SPDX-License-Identifier: Apache-2.0
#include "cli/command/fleet_views.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "cli/command/fleet_names.h"
#include "cli/one_of.h"
#include "cli/render/fleet_json.h"
#include "cli/render/text_fleet.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostChangesShown = 100'000;

constexpr char kRevokedWord[] = "revoked";

const std::vector<std::string> kConditionWords{"ready",  "not-ready",      "undetermined",
                                               "silent", "never-reported", kRevokedWord};

FleetFilterWords HostsFilter(const FleetOptions& options) {
  FleetFilterWords filter = options.filter;
  for (const std::string& word : options.conditions) {
    const auto place = std::ranges::find(kConditionWords, word) - kConditionWords.begin();
    filter.conditions.push_back(word == kRevokedWord ? HostCondition::kRevoked
                                                     : static_cast<HostCondition>(place + 1));
  }
  return filter;
}

// A host that is worked on keeps nobody from being ready; where all are, nothing is known of the fleet.
ExitStatus StatusOfFleet(const FleetStatus& status) {
  const ConditionCounts& counts = status.counts;
  if (counts.ready == status.hosts && status.hosts != 0) return ExitStatus::kOk;
  if (counts.maintenance == status.hosts) return ExitStatus::kOwnFailure;
  ExitStatus worst = ExitStatus::kOk;
  for (const FleetHost& host : status.odd) {
    if (host.condition == HostCondition::kNotReady) worst = Worse(worst, ExitStatus::kNotReady);
    if (host.condition == HostCondition::kSilent) worst = Worse(worst, ExitStatus::kUnreachable);
    if (host.condition != HostCondition::kReady) worst = Worse(worst, ExitStatus::kOwnFailure);
  }
  return worst;
}

ExitStatus ShowStatus(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<FleetStatus> status = hub.Status(options.filter, options.odd);
  if (!status.ok()) return FleetCallFailed(context, status.status());
  FleetStatus shown = *status;
  shown.odd = ForPeople(context, hub, std::move(shown.odd));
  context.Print(FleetStatusJson(*status), FleetStatusText(shown, context.style()));
  return StatusOfFleet(*status);
}

ExitStatus ShowHosts(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<std::vector<FleetHost>> hosts = hub.Hosts(HostsFilter(options));
  if (!hosts.ok()) return FleetCallFailed(context, hosts.status());
  context.Print(FleetHostsJson(*hosts),
                FleetHostsText(ForPeople(context, hub, *hosts), UnixNowNs(), context.style()));
  return ExitStatus::kOk;
}

ExitStatus ShowFindings(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<std::vector<FleetFinding>> findings = hub.Findings(options.filter);
  if (!findings.ok()) return FleetCallFailed(context, findings.status());
  context.Print(FleetFindingsJson(*findings),
                FleetFindingsText(ForPeople(context, hub, *findings), UnixNowNs(), context.style()));
  return ExitStatus::kOk;
}

ExitStatus ShowHistory(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<std::int64_t> since = SinceOf(options);
  if (!since.ok()) return context.Fail(ExitStatus::kUsage, Message(since.status()));
  const absl::StatusOr<std::vector<FleetChange>> changes = hub.Changes(options.filter, *since, options.limit);
  if (!changes.ok()) return FleetCallFailed(context, changes.status());
  context.Print(FleetHistoryJson(*changes),
                FleetChangesText(ForPeople(context, hub, *changes), context.style()));
  return ExitStatus::kOk;
}

ExitStatus ShowDiff(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<std::int64_t> at = FleetTime("--at", options.at);
  if (!at.ok()) return context.Fail(ExitStatus::kUsage, Message(at.status()));
  const absl::StatusOr<FleetClient::DiffAnswer> answer = hub.Diff(options.filter, *at);
  if (!answer.ok()) return FleetCallFailed(context, answer.status());
  context.Print(FleetDiffJson(answer->differences, *at, answer->kept_since_unix_ns),
                FleetDiffText(ForPeople(context, hub, answer->differences), *at, answer->kept_since_unix_ns,
                              context.style()));
  return ExitStatus::kOk;
}

ExitStatus ShowBaseline(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<FleetClient::BaselineAnswer> answer = hub.Baseline(options.filter);
  if (!answer.ok()) return FleetCallFailed(context, answer.status());
  context.Print(FleetBaselineJson(answer->usual, answer->complete),
                FleetBaselineText(answer->usual, answer->complete, context.style()));
  return ExitStatus::kOk;
}

ExitStatus WatchFleet(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<std::int64_t> since = SinceOf(options);
  if (!since.ok()) return context.Fail(ExitStatus::kUsage, Message(since.status()));
  std::uint64_t left = options.count;
  HostNames names;
  if (context.format().object == nullptr) names.AskHub(hub, FleetFilterWords{.hosts = options.filter.hosts});
  const absl::Status status = hub.Watch(
      options.filter, *since,
      [&](const FleetChange& change) {
        names.Add(change.host, change.host_id);
        FleetChange shown = change;
        shown.host = names.Of(change.host, change.host_id);
        context.Print(FleetChangeJson(change), FleetChangeLine(shown, context.style()));
        return context.console.Flush() && (options.count == 0 || --left > 0);
      },
      [&](const std::string& trouble) { context.console.Error(trouble + "; trying again"); });
  return status.ok() ? ExitStatus::kOk : FleetCallFailed(context, status);
}

FleetVerb StatusVerb(CLI::App& fleet, FleetOptions& options) {
  CLI::App& verb = NewFleetVerb(
      fleet, "status", "Are all ready, which are not, and why",
      "\nExamples:\n  rdmaready fleet status --hub hub.example.org\n  rdmaready fleet status --group storage");
  AddFleetFilter(verb, options);
  verb.add_option("--most-odd", options.odd, "Name so many hosts that are not ready")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  return {&verb, ShowStatus};
}

FleetVerb HostsVerb(CLI::App& fleet, FleetOptions& options) {
  CLI::App& verb = NewFleetVerb(fleet, "hosts", "Every host, or those of a kind",
                                "\nExample:\n  rdmaready fleet hosts --condition not-ready,silent");
  AddFleetFilter(verb, options);
  verb.add_option("--condition", options.conditions,
                  "Only hosts that are ready, not-ready, undetermined, silent, never-reported, revoked")
      ->type_name("WORDS")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(OneOf(kConditionWords));
  AddCheckFilter(verb, options);
  return {&verb, ShowHosts};
}

FleetVerb FindingsVerb(CLI::App& fleet, FleetOptions& options) {
  CLI::App& verb = NewFleetVerb(fleet, "findings", "What is not well, and what is over and nobody acknowledged",
                                "\nExamples:\n  rdmaready fleet findings --check 'pfc.*'\n"
                                "  rdmaready fleet findings node017            with the remedies of this host");
  AddFleetFilter(verb, options);
  AddCheckFilter(verb, options);
  return {&verb, ShowFindings};
}

FleetVerb HistoryVerb(CLI::App& fleet, FleetOptions& options) {
  CLI::App& verb = NewFleetVerb(fleet, "history", "What changed, newest first",
                                "\nExample:\n  rdmaready fleet history --since 24h");
  AddFleetFilter(verb, options);
  AddCheckFilter(verb, options);
  verb.add_option("--since", options.since, "Only since then: 24h, 7d, 2026-11-20, 2026-11-20T19:17 (UTC)")
      ->type_name("TIME");
  verb.add_option("--limit", options.limit, "The newest N changes")
      ->check(CLI::Range(std::size_t{1}, kMostChangesShown))
      ->type_name("N")
      ->capture_default_str();
  return {&verb, ShowHistory};
}

FleetVerb DiffVerb(CLI::App& fleet, FleetOptions& options) {
  CLI::App& verb = NewFleetVerb(fleet, "diff", "What is otherwise now than it was at a moment",
                                "\nExample:\n  rdmaready fleet diff --at 2026-11-20T19:17");
  AddFleetFilter(verb, options);
  AddCheckFilter(verb, options);
  verb.add_option("--at", options.at, "The moment: 24h (ago), 2026-11-20, 2026-11-20T19:17 (UTC)")
      ->type_name("TIME")
      ->required();
  return {&verb, ShowDiff};
}

FleetVerb BaselineVerb(CLI::App& fleet, FleetOptions& options) {
  CLI::App& verb =
      NewFleetVerb(fleet, "baseline", "What is usual in each group, and where hosts differ without a majority",
                   "\nExample:\n  rdmaready fleet baseline --group storage --check agree.mtu");
  AddFleetFilter(verb, options);
  AddCheckFilter(verb, options);
  return {&verb, ShowBaseline};
}

FleetVerb WatchVerb(CLI::App& fleet, FleetOptions& options) {
  CLI::App& verb = NewFleetVerb(fleet, "watch", "What changes, as it does, until Ctrl-C",
                                "\nExample:\n  rdmaready fleet watch --since 1h --output json");
  AddHostNames(verb, options);
  AddCheckFilter(verb, options);
  verb.add_option("--since", options.since, "Also what changed since then")->type_name("TIME");
  verb.add_option("--count", options.count, "End after so many changes")->type_name("N");
  return {&verb, WatchFleet};
}

}  // namespace

std::vector<FleetVerb> DefineFleetViews(CLI::App& fleet, FleetOptions& options) {
  return {StatusVerb(fleet, options),  HostsVerb(fleet, options), FindingsVerb(fleet, options),
          HistoryVerb(fleet, options), DiffVerb(fleet, options),  BaselineVerb(fleet, options),
          WatchVerb(fleet, options)};
}

}  // namespace rdmaready
