// SPDX-License-Identifier: Apache-2.0
// rdmaready fleet: what a hub knows of many hosts.
#include "api/convert/fleet.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/client/fleet_client.h"
#include "api/convert/fleet_audit.h"
#include "api/convert/record_json.h"
#include "cli/command/fleet_access.h"
#include "cli/commands.h"
#include "cli/one_of.h"
#include "cli/render/text_fleet.h"
#include "cli/since.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostChangesShown = 100'000;
constexpr char kDefaultHub[] = "127.0.0.1:7473";

constexpr char kRevokedWord[] = "revoked";

const std::vector<std::string> kConditionWords{"ready",  "not-ready",      "undetermined",
                                               "silent", "never-reported", kRevokedWord};

struct FleetOptions {
  std::string hub{};
  FleetFilterWords filter{};
  std::vector<std::string> conditions{};
  std::uint32_t odd = 20;
  std::string since{};
  std::string at{};
  std::size_t limit = 100;
  std::uint64_t count = 0;
  std::string why{};
  std::vector<std::string> subjects{};
  std::string until{};
  bool end = false;
};

using Work = std::function<ExitStatus(const Context&, FleetClient&, const FleetOptions&)>;

std::string HubOf(const FleetOptions& options) {
  if (!options.hub.empty()) return options.hub;
  const char* named = std::getenv("RDMAREADY_HUB");
  return named != nullptr && *named != '\0' ? named : kDefaultHub;
}

FleetFilterWords FilterOf(const FleetOptions& options) {
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

template <class Row>
nlohmann::ordered_json RowsJson(const char* field, const std::vector<Row>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) list.push_back(RecordJson(ToProto(row)));
  return {{field, std::move(list)}};
}

ExitStatus FailedCall(const Context& context, const absl::Status& status) {
  return context.Fail(CallFailure(status), Message(status));
}

ExitStatus ShowStatus(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<FleetStatus> status = hub.Status(options.filter, options.odd);
  if (!status.ok()) return FailedCall(context, status.status());
  context.Print(SchemaJson("rdmaready.v1.FleetStatus", RecordJson(ToProto(*status))),
                FleetStatusText(*status, context.style()));
  return StatusOfFleet(*status);
}

ExitStatus ShowHosts(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<std::vector<FleetHost>> hosts = hub.Hosts(options.filter);
  if (!hosts.ok()) return FailedCall(context, hosts.status());
  context.Print(SchemaJson("rdmaready.v1.FleetHosts", RowsJson("hosts", *hosts)),
                FleetHostsText(*hosts, UnixNowNs(), context.style()));
  return ExitStatus::kOk;
}

ExitStatus ShowFindings(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<std::vector<FleetFinding>> findings = hub.Findings(options.filter);
  if (!findings.ok()) return FailedCall(context, findings.status());
  context.Print(SchemaJson("rdmaready.v1.FleetFindings", RowsJson("findings", *findings)),
                FleetFindingsText(*findings, UnixNowNs(), context.style()));
  return ExitStatus::kOk;
}

absl::StatusOr<std::int64_t> TimeOf(const std::string& option, const std::string& text) {
  const absl::StatusOr<std::int64_t> time = ParseSince(text, UnixNowNs());
  if (!time.ok()) return absl::InvalidArgumentError(option + ": " + Message(time.status()));
  return time;
}

ExitStatus ShowHistory(const Context& context, FleetClient& hub, const FleetOptions& options) {
  absl::StatusOr<std::int64_t> since = std::int64_t{0};
  if (!options.since.empty()) since = TimeOf("--since", options.since);
  if (!since.ok()) return context.Fail(ExitStatus::kUsage, Message(since.status()));
  const absl::StatusOr<std::vector<FleetChange>> changes = hub.Changes(options.filter, *since, options.limit);
  if (!changes.ok()) return FailedCall(context, changes.status());
  context.Print(SchemaJson("rdmaready.v1.FleetHistory", RowsJson("changes", *changes)),
                FleetChangesText(*changes, context.style()));
  return ExitStatus::kOk;
}

ExitStatus ShowDiff(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<std::int64_t> at = TimeOf("--at", options.at);
  if (!at.ok()) return context.Fail(ExitStatus::kUsage, Message(at.status()));
  const absl::StatusOr<FleetClient::DiffAnswer> answer = hub.Diff(options.filter, *at);
  if (!answer.ok()) return FailedCall(context, answer.status());
  nlohmann::ordered_json json = RowsJson("differences", answer->differences);
  json["at_unix_ns"] = *at;
  json["kept_since_unix_ns"] = answer->kept_since_unix_ns;
  context.Print(SchemaJson("rdmaready.v1.FleetDiff", json),
                FleetDiffText(answer->differences, *at, answer->kept_since_unix_ns, context.style()));
  return ExitStatus::kOk;
}

ExitStatus ShowBaseline(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<FleetClient::BaselineAnswer> answer = hub.Baseline(options.filter);
  if (!answer.ok()) return FailedCall(context, answer.status());
  nlohmann::ordered_json json = RowsJson("usual", answer->usual);
  json["complete"] = answer->complete;
  context.Print(SchemaJson("rdmaready.v1.FleetBaseline", json),
                FleetBaselineText(answer->usual, answer->complete, context.style()));
  return ExitStatus::kOk;
}

ExitStatus WatchFleet(const Context& context, FleetClient& hub, const FleetOptions& options) {
  absl::StatusOr<std::int64_t> since = std::int64_t{0};
  if (!options.since.empty()) since = TimeOf("--since", options.since);
  if (!since.ok()) return context.Fail(ExitStatus::kUsage, Message(since.status()));
  std::uint64_t left = options.count;
  const absl::Status status = hub.Watch(
      options.filter, *since,
      [&](const FleetChange& change) {
        context.Print(SchemaJson("rdmaready.v1.FleetChange", RecordJson(ToProto(change)), true),
                      FleetChangeLine(change, context.style()));
        return context.console.Flush() && (options.count == 0 || --left > 0);
      },
      [&](const std::string& trouble) { context.console.Error(trouble + "; trying again"); });
  return status.ok() ? ExitStatus::kOk : FailedCall(context, status);
}

ExitStatus AcknowledgeFindings(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<FleetClient::Acknowledged> count =
      hub.Acknowledge(options.filter, options.subjects, options.why);
  if (!count.ok()) return FailedCall(context, count.status());
  context.Print(
      SchemaJson("rdmaready.v1.FleetAcknowledged",
                 {{"marked", count->marked}, {"forgotten", count->forgotten}}),
      fmt::format("{} marked as known, {} that were over forgotten\n", count->marked, count->forgotten));
  return ExitStatus::kOk;
}

// A chain that is broken is no answer that could be relied on.
ExitStatus ShowAudit(const Context& context, FleetClient& hub, const FleetOptions& options) {
  absl::StatusOr<std::int64_t> since = std::int64_t{0};
  if (!options.since.empty()) since = TimeOf("--since", options.since);
  if (!since.ok()) return context.Fail(ExitStatus::kUsage, Message(since.status()));
  const absl::StatusOr<std::vector<FleetAuditEntry>> entries = hub.Audit(*since);
  if (!entries.ok()) return FailedCall(context, entries.status());
  const absl::StatusOr<std::string> broken = WhereChainBreaks(*entries);
  if (!broken.ok()) return context.Fail(ExitStatus::kOwnFailure, Message(broken.status()));
  nlohmann::ordered_json json = RowsJson("entries", *entries);
  json["broken"] = *broken;
  context.Print(SchemaJson("rdmaready.v1.FleetAudit", json),
                FleetAuditText(*entries, *broken, context.style()));
  return broken->empty() ? ExitStatus::kOk : ExitStatus::kOwnFailure;
}

// "2h" from now on, where a point in time is in the past.
absl::StatusOr<std::int64_t> EndOfMaintenance(const FleetOptions& options, std::int64_t now) {
  if (options.end) return std::int64_t{0};
  const absl::StatusOr<std::int64_t> past = ParseSince(options.until, now);
  if (!past.ok()) return absl::InvalidArgumentError("--for: " + Message(past.status()));
  if (*past >= now || options.until.find('-') != std::string::npos)
    return absl::InvalidArgumentError("--for: how long, like 2h");
  return now + (now - *past);
}

ExitStatus Maintain(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<std::int64_t> until = EndOfMaintenance(options, UnixNowNs());
  if (!until.ok()) return context.Fail(ExitStatus::kUsage, Message(until.status()));
  const absl::StatusOr<std::uint64_t> hosts = hub.SetMaintenance(options.filter, *until, options.why);
  if (!hosts.ok()) return FailedCall(context, hosts.status());
  context.Print(SchemaJson("rdmaready.v1.FleetMaintenance", {{"hosts", *hosts}, {"until_unix_ns", *until}}),
                *until == 0 ? fmt::format("{} hosts: maintenance is over\n", *hosts)
                            : fmt::format("{} hosts in maintenance until {}\n", *hosts, TimeText(*until)));
  return ExitStatus::kOk;
}

ExitStatus AskHub(const Context& context, FleetOptions options, const Work& work) {
  options.filter = FilterOf(options);
  const absl::StatusOr<std::unique_ptr<FleetClient>> hub =
      FleetClient::Connect(HubOf(options), context.client());
  if (!hub.ok()) return context.Fail(ConnectFailure(hub.status()), Message(hub.status()));
  return work(context, **hub, options);
}

void AddFilter(CLI::App& app, FleetOptions& options) {
  app.add_option("HOST", options.filter.hosts, "Names or ids, also node[001-128] and node*; none: all");
  app.add_option("--group", options.filter.groups, "Only hosts of this group")
      ->type_name("GROUP")
      ->allow_extra_args(false);
  app.add_option("--rack", options.filter.racks, "Only hosts of this rack")
      ->type_name("RACK")
      ->allow_extra_args(false);
}

void AddCheckFilter(CLI::App& app, FleetOptions& options) {
  app.add_option("--check", options.filter.checks, "Only of this check, or 'pfc.*'")
      ->type_name("ID")
      ->allow_extra_args(false);
}

void AddConditions(CLI::App& app, FleetOptions& options) {
  app.add_option("--condition", options.conditions,
                 "Only hosts that are ready, not-ready, undetermined, silent, never-reported, revoked")
      ->type_name("WORDS")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(OneOf(kConditionWords));
}

struct FleetVerb {
  CLI::App* app = nullptr;
  Work work{};
};

FleetVerb Verb(CLI::App& app, const char* name, const char* summary, const char* footer, Work work) {
  CLI::App* sub = app.add_subcommand(name, summary);
  sub->footer(footer);
  return {sub, std::move(work)};
}

}  // namespace

Action DefineFleet(CLI::App& app, const std::function<void(CLI::App&)>& global) {
  auto options = std::make_shared<FleetOptions>();
  std::vector<FleetVerb> verbs;
  verbs.push_back(Verb(
      app, "status", "Are all ready, which are not, and why",
      "\nExamples:\n  rdmaready fleet status --hub hub.example.org\n  rdmaready fleet status --group storage",
      ShowStatus));
  AddFilter(*verbs.back().app, *options);
  verbs.back()
      .app->add_option("--most-odd", options->odd, "Name so many hosts that are not ready")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  verbs.push_back(Verb(app, "hosts", "Every host, or those of a kind",
                       "\nExample:\n  rdmaready fleet hosts --condition not-ready,silent", ShowHosts));
  AddFilter(*verbs.back().app, *options);
  AddConditions(*verbs.back().app, *options);
  AddCheckFilter(*verbs.back().app, *options);
  verbs.push_back(Verb(app, "findings", "What is not well, and what is over and nobody acknowledged",
                       "\nExample:\n  rdmaready fleet findings --check 'pfc.*'", ShowFindings));
  AddFilter(*verbs.back().app, *options);
  AddCheckFilter(*verbs.back().app, *options);
  verbs.push_back(Verb(app, "history", "What changed, newest first",
                       "\nExample:\n  rdmaready fleet history --since 24h", ShowHistory));
  AddFilter(*verbs.back().app, *options);
  AddCheckFilter(*verbs.back().app, *options);
  verbs.back()
      .app
      ->add_option("--since", options->since, "Only since then: 24h, 7d, 2026-11-20, 2026-11-20T19:17 (UTC)")
      ->type_name("TIME");
  verbs.back()
      .app->add_option("--limit", options->limit, "The newest N changes")
      ->check(CLI::Range(std::size_t{1}, kMostChangesShown))
      ->type_name("N")
      ->capture_default_str();
  verbs.push_back(Verb(app, "diff", "What is otherwise now than it was at a moment",
                       "\nExample:\n  rdmaready fleet diff --at 2026-11-20T19:17", ShowDiff));
  AddFilter(*verbs.back().app, *options);
  AddCheckFilter(*verbs.back().app, *options);
  verbs.back()
      .app->add_option("--at", options->at, "The moment: 24h (ago), 2026-11-20, 2026-11-20T19:17 (UTC)")
      ->type_name("TIME")
      ->required();
  verbs.push_back(
      Verb(app, "baseline", "What is usual in each group, and where hosts differ without a majority",
           "\nExample:\n  rdmaready fleet baseline --group storage --check agree.mtu", ShowBaseline));
  AddFilter(*verbs.back().app, *options);
  AddCheckFilter(*verbs.back().app, *options);
  verbs.push_back(Verb(app, "watch", "What changes, as it does, until Ctrl-C",
                       "\nExample:\n  rdmaready fleet watch --since 1h --output json", WatchFleet));
  verbs.back().app->add_option("HOST", options->filter.hosts,
                               "Names or ids, also node[001-128] and node*; none: all");
  AddCheckFilter(*verbs.back().app, *options);
  verbs.back().app->add_option("--since", options->since, "Also what changed since then")->type_name("TIME");
  verbs.back().app->add_option("--count", options->count, "End after so many changes")->type_name("N");
  verbs.push_back(Verb(app, "ack", "Mark findings as known, and forget those that are over",
                       "\nExample:\n  rdmaready fleet ack node017 --check link.errors --why 'cable swapped'",
                       AcknowledgeFindings));
  AddFilter(*verbs.back().app, *options);
  AddCheckFilter(*verbs.back().app, *options);
  verbs.back()
      .app->add_option("--subject", options->subjects, "Only of this port or part")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  verbs.back().app->add_option("--why", options->why, "What others should know")->type_name("TEXT");
  verbs.push_back(Verb(app, "audit", "What callers had the hub do, and whether the chain of entries holds",
                       "\nExample:\n  rdmaready fleet audit --since 7d", ShowAudit));
  verbs.back().app->add_option("--since", options->since, "Only since then")->type_name("TIME");
  verbs.push_back(
      Verb(app, "maintenance", "Hosts that are worked on: they count apart",
           "\nExamples:\n  rdmaready fleet maintenance 'node[017-024]' --for 2h --why 'new firmware'\n"
           "  rdmaready fleet maintenance 'node[017-024]' --end",
           Maintain));
  AddFilter(*verbs.back().app, *options);
  CLI::Option* duration =
      verbs.back().app->add_option("--for", options->until, "How long: 2h")->type_name("TIME");
  verbs.back().app->add_flag("--end", options->end, "It is over")->excludes(duration);
  verbs.back().app->add_option("--why", options->why, "What is done")->type_name("TEXT");
  for (const AccessVerb& access : DefineAccess(app)) {
    verbs.push_back({access.app, [work = access.work](const Context& context, FleetClient& hub,
                                                      const FleetOptions&) { return work(context, hub); }});
  }
  for (const FleetVerb& verb : verbs) {
    verb.app
        ->add_option("--hub", options->hub,
                     "The hub, HOST[:PORT]; else RDMAREADY_HUB of the environment, else 127.0.0.1:7473")
        ->type_name("HOST");
    global(*verb.app);
  }
  app.require_subcommand(1);
  return [=](const Context& context) {
    const auto chosen = std::ranges::find_if(verbs, [](const FleetVerb& verb) { return verb.app->parsed(); });
    return AskHub(context, *options, chosen->work);
  };
}

}  // namespace rdmaready
