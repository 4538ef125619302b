// SPDX-License-Identifier: Apache-2.0
// rdmaready plan: what would have to be set.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "checks/words/words.h"
#include "cli/command/apply_flags.h"
#include "cli/fleet/apply_runner.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/site_choice.h"
#include "cli/render/change_json.h"
#include "cli/render/text_change.h"

namespace rdmaready {
namespace {

struct PlanFlags {
  ConfigureFlags what{};
  bool persist = false;
};

ExitStatus RunPlan(const Context& context, const PlanFlags& options) {
  const absl::StatusOr<ApplyOptions> order = OrderOf(options.what);
  if (!order.ok()) return context.Fail(ExitStatus::kUsage, Message(order.status()));
  absl::StatusOr<ConfiguredHosts> hosts = HostsToConfigure(options.what, context);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  context.console.Progress("connecting");
  ApplyRunner runner(hosts->clients, {}, *order,
                     {.progress = [&](const std::string& what) { context.console.Progress(what); }},
                     std::move(hosts->origins));
  const PlanRun run = runner.Plan(options.persist);
  if (const absl::Status apart = CheckNoTwins(hosts->clients); !apart.ok())
    return context.Fail(ExitStatus::kUsage, Message(apart));
  context.interrupt.Disarm();
  context.console.EraseProgress();
  context.Print(PlanJson(run), PlanText(run, context.style()));
  for (const HostPlan& host : run.hosts) Complain(context, host.host, host.error);
  return StatusOf(run);
}

}  // namespace

void AddConfigureFlags(CLI::App& app, ConfigureFlags& flags) {
  AddHostFlags(app, flags.named);
  app.add_option(
         "--profile", flags.profiles,
         "A built-in profile or a YAML file; several, each for the `ports` that it names (default: what "
         "the inventory says, else the agent's own)")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false);
  app.add_option("--port", flags.ports, "Only this port of each host: mlx5_0/1, mlx5_0 or ens1f0np0")
      ->type_name("PORT")
      ->allow_extra_args(false);
}

absl::StatusOr<std::vector<HostClient>> ClientsOf(const HostFlags& named, const Context& context) {
  RR_ASSIGN_OR_RETURN(const std::vector<HostAddress> addresses, ChooseHosts(named));
  return NameClients(addresses, context.client(), context.interrupt);
}

absl::StatusOr<ConfiguredHosts> HostsToConfigure(const ConfigureFlags& flags, const Context& context) {
  const HostFlags& named = flags.named;
  RR_ASSIGN_OR_RETURN(ChosenHosts chosen,
                      ChooseWithOrigins(named.hosts, named.inventory, named.part, flags.profiles.empty()));
  return ConfiguredHosts{NameClients(chosen.addresses, context.client(), context.interrupt),
                         std::move(chosen.origins)};
}

absl::StatusOr<ApplyOptions> OrderOf(const ConfigureFlags& flags) {
  ApplyOptions order{.ports = flags.ports, .caller = CallerName()};
  for (const std::string& name : flags.profiles) {
    RR_ASSIGN_OR_RETURN(Profile profile, LoadProfile(name));
    order.profiles.push_back(std::move(profile));
  }
  RR_RETURN_IF_ERROR(CheckWaivers(SiteOf(order.profiles)));
  return order;
}

std::string SameWay(const GlobalOptions& global) {
  std::string words;
  bool of_context = false;
  // Values of a context are named by the context. The environment may be another one where the command is
  // typed.
  const auto add = [&](std::string_view key, std::string_view option, const std::string& value) {
    const bool held = global.filled.Has(key, ValueSource::kContext);
    of_context = of_context || held;
    if (!held) words += Cat(" ", option, value.empty() ? "" : " ", value.empty() ? "" : ShellWord(value));
  };
  if (global.insecure) add(kInsecureKey, "--insecure", {});
  const std::pair<std::string_view, const std::string*> files[] = {{"tls_ca", &global.tls.ca},
                                                                   {"tls_cert", &global.tls.certificate},
                                                                   {"tls_key", &global.tls.key},
                                                                   {"tls_crl", &global.tls.crl},
                                                                   {"tls_name", &global.tls_name}};
  for (const auto& [key, value] : files) {
    if (!value->empty()) add(key, FindSharedOption(key)->option, *value);
  }
  return of_context ? Cat(" --context ", global.filled.defaults.context, words) : words;
}

void Complain(const Context& context, const std::string& host, const std::string& error) {
  if (error.empty() || context.format().object != nullptr) return;
  const bool named = error.find(host) != std::string::npos;
  context.console.Error(named ? error : "host " + host + ": " + error);
}

Action DefinePlan(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<PlanFlags>();
  AddConfigureFlags(app, options->what);
  app.add_flag(
      "--persist", options->persist,
      "Also the files that would make it last beyond a boot; nothing is written. `apply --persist` writes the "
      "files that are marked so");
  return [options](const Context& context) { return RunPlan(context, *options); };
}

}  // namespace rdmaready
