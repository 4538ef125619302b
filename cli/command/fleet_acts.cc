// SPDX-License-Identifier: Apache-2.0
#include "cli/command/fleet_acts.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/convert/fleet_audit.h"
#include "cli/render/fleet_json.h"
#include "cli/render/text_fleet.h"
#include "cli/since.h"

namespace rdmaready {
namespace {

ExitStatus AcknowledgeFindings(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<FleetClient::Acknowledged> count =
      hub.Acknowledge(options.filter, options.subjects, options.why);
  if (!count.ok()) return FleetCallFailed(context, count.status());
  context.Print(
      FleetAcknowledgedJson(count->marked, count->forgotten),
      fmt::format("{} marked as known, {} that were over forgotten\n", count->marked, count->forgotten));
  return ExitStatus::kOk;
}

// A chain that is broken is no answer that could be relied on.
ExitStatus ShowAudit(const Context& context, FleetClient& hub, const FleetOptions& options) {
  const absl::StatusOr<std::int64_t> since = SinceOf(options);
  if (!since.ok()) return context.Fail(ExitStatus::kUsage, Message(since.status()));
  const absl::StatusOr<std::vector<FleetAuditEntry>> entries = hub.Audit(*since);
  if (!entries.ok()) return FleetCallFailed(context, entries.status());
  const absl::StatusOr<std::string> broken = WhereChainBreaks(*entries);
  if (!broken.ok()) return context.Fail(ExitStatus::kOwnFailure, Message(broken.status()));
  context.Print(FleetAuditJson(*entries, *broken), FleetAuditText(*entries, *broken, context.style()));
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
  if (!hosts.ok()) return FleetCallFailed(context, hosts.status());
  const char* const noun = *hosts == 1 ? "host" : "hosts";
  context.Print(FleetMaintenanceJson(*hosts, *until),
                *until == 0 ? fmt::format("{} {}: maintenance is over\n", *hosts, noun)
                            : fmt::format("{} {} in maintenance until {}\n", *hosts, noun, TimeText(*until)));
  return ExitStatus::kOk;
}

FleetVerb AckVerb(CLI::App& fleet, FleetOptions& options) {
  CLI::App& verb =
      NewFleetVerb(fleet, "ack", "Mark findings as known, and forget those that are over",
                   "\nExample:\n  rdmaready fleet ack node017 --check link.errors --why 'cable swapped'");
  AddFleetFilter(verb, options);
  AddCheckFilter(verb, options);
  verb.add_option("--subject", options.subjects, "Only of this port or part")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  verb.add_option("--why", options.why, "What others should know")->type_name("TEXT");
  return {&verb, AcknowledgeFindings};
}

FleetVerb AuditVerb(CLI::App& fleet, FleetOptions& options) {
  CLI::App& verb =
      NewFleetVerb(fleet, "audit", "What callers had the hub do, and whether the chain of entries holds",
                   "\nExample:\n  rdmaready fleet audit --since 7d");
  verb.add_option("--since", options.since, "Only since then")->type_name("TIME");
  return {&verb, ShowAudit};
}

FleetVerb MaintenanceVerb(CLI::App& fleet, FleetOptions& options) {
  CLI::App& verb =
      NewFleetVerb(fleet, "maintenance", "Hosts that are worked on: they count apart",
                   "\nExamples:\n  rdmaready fleet maintenance 'node[017-024]' --for 2h --why 'new firmware'\n"
                   "  rdmaready fleet maintenance 'node[017-024]' --end");
  AddFleetFilter(verb, options);
  CLI::Option* duration = verb.add_option("--for", options.until, "How long: 2h")->type_name("TIME");
  verb.add_flag("--end", options.end, "It is over")->excludes(duration);
  verb.add_option("--why", options.why, "What is done")->type_name("TEXT");
  return {&verb, Maintain};
}

}  // namespace

std::vector<FleetVerb> DefineFleetActs(CLI::App& fleet, FleetOptions& options) {
  return {AckVerb(fleet, options), AuditVerb(fleet, options), MaintenanceVerb(fleet, options)};
}

}  // namespace rdmaready
