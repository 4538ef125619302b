// SPDX-License-Identifier: Apache-2.0
#include "cli/command/fleet_verb.h"

#include <CLI/CLI.hpp>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "cli/since.h"

namespace rdmaready {

CLI::App& NewFleetVerb(CLI::App& fleet, const char* name, const char* summary, const char* footer) {
  CLI::App& verb = *fleet.add_subcommand(name, summary);
  verb.footer(footer);
  return verb;
}

void AddHostNames(CLI::App& verb, FleetOptions& options) {
  verb.add_option("HOST", options.filter.hosts, "Names or ids, also node[001-128] and node*; none: all");
}

void AddFleetFilter(CLI::App& verb, FleetOptions& options) {
  AddHostNames(verb, options);
  verb.add_option("--group", options.filter.groups, "Only hosts of this group")
      ->type_name("GROUP")
      ->allow_extra_args(false);
  verb.add_option("--rack", options.filter.racks, "Only hosts of this rack")
      ->type_name("RACK")
      ->allow_extra_args(false);
}

void AddCheckFilter(CLI::App& verb, FleetOptions& options) {
  verb.add_option("--check", options.filter.checks, "Only of this check, or 'pfc.*'")
      ->type_name("ID")
      ->allow_extra_args(false);
}

ExitStatus FleetCallFailed(const Context& context, const absl::Status& status) {
  return context.Fail(CallFailure(status), Message(status));
}

absl::StatusOr<std::int64_t> FleetTime(const std::string& option, const std::string& text) {
  const absl::StatusOr<std::int64_t> time = ParseSince(text, UnixNowNs());
  if (!time.ok()) return absl::InvalidArgumentError(option + ": " + Message(time.status()));
  return time;
}

absl::StatusOr<std::int64_t> SinceOf(const FleetOptions& options) {
  if (options.since.empty()) return std::int64_t{0};
  return FleetTime("--since", options.since);
}

}  // namespace rdmaready
