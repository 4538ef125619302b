// SPDX-License-Identifier: Apache-2.0
#include "cli/command/fleet_access.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "api/base/quantity.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/inventory/host_list.h"
#include "cli/render/fleet_json.h"
#include "rdmaready/v1/enrolment.pb.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kMostTokensAsked = 1'000;

struct AccessFlags {
  std::vector<std::string> names{};
  std::string lasts{};
  std::uint32_t count = 1;
  std::string note{};
  bool list = false;
  std::vector<std::string> withdraw{};
  std::string host{};
  std::string why{};
};

std::string StateOfToken(const v1::TokenRow& row) {
  if (row.used_unix_ns() != 0) {
    return fmt::format("used {} by {} (host {})", TimeText(row.used_unix_ns()), SafeLine(row.hostname(), 80),
                       SafeLine(row.host_id(), 40));
  }
  if (row.withdrawn_unix_ns() != 0) return "withdrawn by " + SafeLine(row.withdrawn_by(), 80);
  return (row.ends_unix_ns() < UnixNowNs() ? "ended " : "until ") + TimeText(row.ends_unix_ns());
}

ExitStatus ListTokens(const Context& context, FleetClient& hub) {
  const absl::StatusOr<std::vector<v1::TokenRow>> tokens = hub.Tokens();
  if (!tokens.ok()) return FleetCallFailed(context, tokens.status());
  std::string text;
  for (const v1::TokenRow& row : *tokens) {
    text +=
        fmt::format("{}  {}  by {}{}{}\n", SafeLine(row.id(), 20), StateOfToken(row),
                    SafeLine(row.made_by(), 80), row.name().empty() ? "" : "  for " + SafeLine(row.name(), 80),
                    row.note().empty() ? "" : "  " + SafeLine(row.note(), 200));
  }
  context.Print(FleetTokensJson(*tokens), text.empty() ? "no tokens\n" : text);
  return ExitStatus::kOk;
}

ExitStatus WithdrawTokens(const Context& context, FleetClient& hub, const AccessFlags& flags) {
  const absl::StatusOr<std::uint64_t> withdrawn = hub.WithdrawTokens(flags.withdraw);
  if (!withdrawn.ok()) return FleetCallFailed(context, withdrawn.status());
  context.Print(
      FleetTokensWithdrawnJson(*withdrawn),
      fmt::format("{} withdrawn; those that were used or withdrawn before stay what they are\n", *withdrawn));
  return ExitStatus::kOk;
}

// For a program: what stands on a line is the token, after the host's name where it has one.
ExitStatus MakeTokens(const Context& context, FleetClient& hub, const AccessFlags& flags) {
  v1::MakeTokensRequest wanted;
  if (!flags.lasts.empty()) {
    const absl::StatusOr<std::chrono::milliseconds> lasts = ParseDuration(flags.lasts);
    if (!lasts.ok() || *lasts < std::chrono::seconds(1) || *lasts > std::chrono::hours(24))
      return context.Fail(ExitStatus::kUsage, "--for: from 1s to 24h");
    wanted.set_lasts_s(static_cast<std::uint32_t>(lasts->count() / 1000));
  }
  wanted.set_count(flags.names.empty() ? flags.count : 0);
  for (const std::string& list : flags.names) {
    const absl::StatusOr<std::vector<std::string>> names = ExpandHosts(list);
    if (!names.ok()) return context.Fail(ExitStatus::kUsage, Message(names.status()));
    for (const std::string& name : *names) wanted.add_names(name);
  }
  wanted.set_note(flags.note);
  const absl::StatusOr<v1::MakeTokensResponse> made = hub.MakeTokens(wanted);
  if (!made.ok()) return FleetCallFailed(context, made.status());
  std::string text;
  for (const v1::MadeToken& token : made->tokens())
    text +=
        (token.name().empty() ? "" : SafeLine(token.name(), 255) + " ") + SafeLine(token.token(), 600) + "\n";
  context.Print(FleetTokensMadeJson(*made), text);
  return ExitStatus::kOk;
}

ExitStatus Tokens(const Context& context, FleetClient& hub, const AccessFlags& flags) {
  if (flags.list) return ListTokens(context, hub);
  return flags.withdraw.empty() ? MakeTokens(context, hub, flags) : WithdrawTokens(context, hub, flags);
}

ExitStatus Revoke(const Context& context, FleetClient& hub, const AccessFlags& flags) {
  const absl::StatusOr<v1::RevokeHostResponse> revoked = hub.RevokeHost(flags.host, flags.why);
  if (!revoked.ok()) return FleetCallFailed(context, revoked.status());
  context.Print(
      FleetRevokedJson(*revoked),
      fmt::format("{}: revoked, {} {}; the agents of the fleet hear of it within a minute\n",
                  SafeLine(revoked->name().empty() ? revoked->host_id() : revoked->name(), 255),
                  revoked->certificates(), revoked->certificates() == 1 ? "certificate" : "certificates"));
  return ExitStatus::kOk;
}

void AddTokenFlags(CLI::App& token, AccessFlags& flags) {
  CLI::Option* const names =
      token.add_option("NAME", flags.names,
                       "A token for each host that is to be called so in its certificate: a DNS name, also "
                       "node[001-100].example.org, or an address");
  token.add_option("--for", flags.lasts, "How long it can be used, up to 24h (default 1h)")->type_name("TIME");
  token.add_option("--count", flags.count, "So many, for hosts that are called by no name (default 1)")
      ->type_name("N")
      ->check(CLI::Range(1u, kMostTokensAsked))
      ->excludes(names);
  token.add_option("--note", flags.note, "What others should know")->type_name("TEXT");
  CLI::Option* const list =
      token.add_flag("--list", flags.list, "Show those of the last days, and who used them");
  token.add_option("--withdraw", flags.withdraw, "End one that nobody used, by its id of --list")
      ->type_name("ID")
      ->allow_extra_args(false)
      ->excludes(list)
      ->excludes(names);
}

FleetVerb TokenVerb(CLI::App& fleet, const std::shared_ptr<AccessFlags>& flags) {
  CLI::App& verb = NewFleetVerb(
      fleet, "token", "Let hosts enrol: a secret for each, that works once",
      "\nExamples:\n  rdmaready fleet token --for 2h --count 100 --note 'row 7'\n"
      "  rdmaready fleet token 'node[001-100].example.org'\n  rdmaready fleet token --withdraw 4f1c09aa17b3");
  AddTokenFlags(verb, *flags);
  return {&verb, [flags](const Context& context, FleetClient& hub, const FleetOptions&) {
            return Tokens(context, hub, *flags);
          }};
}

FleetVerb RevokeVerb(CLI::App& fleet, const std::shared_ptr<AccessFlags>& flags) {
  CLI::App& verb = NewFleetVerb(fleet, "revoke", "Send a host away for good: its certificates end",
                                "\nExample:\n  rdmaready fleet revoke node017 --why 'its disk was stolen'");
  verb.add_option("HOST", flags->host, "Its name, or its id")->required();
  verb.add_option("--why", flags->why, "What others should know")->type_name("TEXT")->required();
  return {&verb, [flags](const Context& context, FleetClient& hub, const FleetOptions&) {
            return Revoke(context, hub, *flags);
          }};
}

}  // namespace

std::vector<FleetVerb> DefineFleetAccess(CLI::App& fleet) {
  const auto flags = std::make_shared<AccessFlags>();
  return {TokenVerb(fleet, flags), RevokeVerb(fleet, flags)};
}

}  // namespace rdmaready
