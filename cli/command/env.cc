// SPDX-License-Identifier: Apache-2.0
// rdmaready env: what a consumer of RDMA needs on a host.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/profile/site.h"
#include "checks/consumer/environment.h"
#include "checks/words/words.h"
#include "cli/commands.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/saved_hosts.h"
#include "cli/fleet/site_choice.h"
#include "cli/one_of.h"
#include "cli/render/environment_run.h"

namespace rdmaready {
namespace {

struct EnvFlags {
  std::string host{};
  std::string facts{};
  std::string consumer{};
  std::vector<std::string> profiles{};
  std::vector<std::string> ports{};
};

// A host that was asked, or a saved one.
struct AskedHost {
  std::string name{};
  Facts facts{};
  std::vector<Profile> profiles{};
  std::vector<Finding> judged{};  // by its agent
  bool is_this_host = false;
};

// A job may have its own values, which go before those of files. Facts do not have them.
std::vector<std::string> SetOtherwise(const Environment& environment) {
  std::vector<std::string> lines;
  for (const EnvVariable& one : environment.variables) {
    const char* set = std::getenv(one.name.c_str());
    if (set != nullptr && one.value != set)
      lines.push_back(
          Cat(one.name, " is '", set, "' in this environment, and '", one.value, "' is right here"));
  }
  const char* off = std::getenv("NCCL_IB_DISABLE");
  const bool of_nccl = !environment.variables.empty() && environment.variables.front().name == "NCCL_IB_HCA";
  if (of_nccl && off != nullptr && std::atoi(off) != 0)
    lines.push_back(Cat("NCCL_IB_DISABLE is '", off, "' in this environment: then RDMA is not used"));
  return lines;
}

ExitStatus Show(const Context& context, const EnvFlags& options, const AskedHost& host) {
  const EnvironmentQuestion question{
      .consumer = ConsumerFromName(options.consumer).value_or(Consumer::kUnknown),
      .ports = options.ports,
      .host_names = {host.name, host.facts.hostname},
      .now_unix_ns = UnixNowNs(),
      .judged = host.judged};
  absl::StatusOr<Environment> environment = EnvironmentFor(host.facts, host.profiles, question);
  if (!environment.ok()) return context.Fail(ExitStatus::kUsage, Message(environment.status()), host.name);
  if (environment->state != Readiness::kReady) {
    const bool known = environment->state == Readiness::kNotReady;
    return context.Fail(
        known ? ExitStatus::kNotReady : ExitStatus::kOwnFailure,
        Cat("host ", host.name, known ? ": not ready for " : ": not known whether it is ready for ",
            options.consumer, ": ", environment->reason),
        host.name);
  }
  EnvironmentRun run{.host = host.name, .consumer = question.consumer, .environment = *std::move(environment)};
  for (const Profile& profile : host.profiles) run.profiles.push_back({profile.name, profile.digest});
  const std::vector<std::string> otherwise =
      host.is_this_host ? SetOtherwise(run.environment) : std::vector<std::string>{};
  if (context.format().object != nullptr)
    run.environment.notes.insert(run.environment.notes.end(), otherwise.begin(), otherwise.end());
  context.Print(EnvironmentJson(run), EnvironmentText(run));
  if (context.format().object == nullptr) {
    for (const std::string& line : otherwise) context.console.Error(line);
  }
  return ExitStatus::kOk;
}

ExitStatus RunSaved(const Context& context, const EnvFlags& options, const std::optional<Site>& named) {
  if (!options.host.empty())
    return context.Fail(ExitStatus::kUsage, "--facts is for a saved host: no HOST beside it");
  absl::StatusOr<std::vector<SavedHost>> saved = LoadSavedHosts({options.facts});
  if (!saved.ok()) return context.Fail(ExitStatus::kUsage, Message(saved.status()));
  if (saved->size() != 1)
    return context.Fail(ExitStatus::kUsage, Cat("--facts ", options.facts, " holds ", saved->size(),
                                                " hosts: name the folder of one"));
  SavedHost& one = saved->front();
  if (!one.error.empty()) return context.Fail(ExitStatus::kUsage, one.error);
  absl::StatusOr<std::vector<Profile>> profiles = ProfilesFor(one, named ? &*named : nullptr);
  if (!profiles.ok()) return context.Fail(ExitStatus::kUsage, Message(profiles.status()));
  context.interrupt.Disarm();
  return Show(context, options,
              {.name = one.name, .facts = std::move(one.facts), .profiles = *std::move(profiles)});
}

ExitStatus RunLive(const Context& context, const EnvFlags& options, const std::optional<Site>& site) {
  std::vector<std::string> names;
  if (!options.host.empty()) names.push_back(options.host);
  const absl::StatusOr<std::vector<HostAddress>> addresses = ParseHosts(names);
  if (!addresses.ok()) return context.Fail(ExitStatus::kUsage, Message(addresses.status()));
  if (addresses->size() > 1) return context.Fail(ExitStatus::kUsage, "env takes one HOST");
  context.console.Progress("connecting");
  const absl::StatusOr<std::vector<HostClient>> hosts =
      OpenClients(*addresses, context.client(), context.interrupt);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  const HostClient& host = hosts->front();
  if (host.agent == nullptr) return context.Fail(host.failure, host.error, host.name);
  CheckOptions check{.ports = options.ports, .level = Rung::kHost, .caller = CallerName(), .with_facts = true};
  if (site) {
    absl::StatusOr<std::vector<Profile>> profiles = site->ProfilesOf(host.name);
    if (!profiles.ok()) return context.Fail(ExitStatus::kUsage, Message(profiles.status()));
    check.profiles = *std::move(profiles);
  }
  absl::StatusOr<CheckAnswer> answer = host.agent->Check(
      check, [&](const std::string& what) { context.console.Progress(host.name + ": " + what); },
      [](const Finding&) {});
  context.interrupt.Disarm();
  context.console.EraseProgress();
  if (!answer.ok()) return context.Fail(CallFailure(answer.status()), Message(answer.status()), host.name);
  if (!answer->facts)
    return context.Fail(ExitStatus::kOwnFailure, Cat("host ", host.name, ": its agent sent no facts"),
                        host.name);
  return Show(context, options,
              {.name = host.name,
               .facts = *std::move(answer->facts),
               .profiles = check.profiles.empty() ? std::move(answer->profiles) : std::move(check.profiles),
               .judged = std::move(answer->report.findings),
               .is_this_host = options.host.empty()});
}

ExitStatus RunEnv(const Context& context, const EnvFlags& options) {
  std::optional<Site> site;
  if (!options.profiles.empty()) {
    absl::StatusOr<Site> named = ChooseSite(options.profiles);
    if (!named.ok()) return context.Fail(ExitStatus::kUsage, Message(named.status()));
    site = *std::move(named);
  }
  return options.facts.empty() ? RunLive(context, options, site) : RunSaved(context, options, site);
}

}  // namespace

Action DefineEnv(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<EnvFlags>();
  app.add_option("HOST", options->host, "name-or-address[:port] of an agent (default: this host)");
  app.add_option(
         "--for", options->consumer,
         "Who needs them: a library (nccl, rccl, ucx, mori, spdk), or a client of the kernel (smb, nvme, "
         "nfs)")
      ->check(OneOf(ConsumerNames()))
      ->required()
      ->type_name("CONSUMER");
  app.add_option("--facts", options->facts,
                 "A host that `facts --save` saved, instead of a live one: its folder")
      ->type_name("DIR");
  app.add_option(
         "--profile", options->profiles,
         "A built-in profile or a YAML file; several, each for the `ports` that it names; or a site file "
         "(default: the agent's own)")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false);
  app.add_option("--port", options->ports, "Only this port of the host: mlx5_0/1, mlx5_0 or ens1f0np0")
      ->type_name("PORT")
      ->allow_extra_args(false);
  return [options](const Context& context) { return RunEnv(context, *options); };
}

}  // namespace rdmaready
