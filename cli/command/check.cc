// SPDX-License-Identifier: Apache-2.0
// rdmaready check: judge hosts.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "api/profile/site.h"
#include "checks/words/names.h"
#include "cli/bundle/saved.h"
#include "cli/commands.h"
#include "cli/credentials.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/hosts_check.h"
#include "cli/fleet/saved_hosts.h"
#include "cli/fleet/site_choice.h"
#include "cli/host_flags.h"
#include "cli/one_of.h"
#include "cli/render/format/judged.h"

namespace rdmaready {
namespace {

struct CheckFlags {
  HostFlags named{};
  std::vector<std::string> facts{};
  std::string bundle{};
  std::vector<std::string> profiles{};
  std::vector<std::string> ports{};
  std::string level = "host";
  std::string target{};
  std::string share{};
  std::string credentials{};
  std::uint32_t watch_seconds = 0;
  MaxTime max_time{};
  bool verbose = false;
};

// A single host that could not be asked leaves nothing to show but the reason.
bool HasReport(const CheckSummary& run) {
  if (run.report.hosts.size() > 1) return true;
  return !run.report.hosts.empty() &&
         (run.report.hosts[0].error.empty() || !run.report.hosts[0].findings.empty());
}

void Show(const Context& context, const CheckFlags& options, const CheckSummary& run) {
  const Format& format = context.format();
  for (const Judged& judged : JudgedIn(run.report)) {
    context.warned = context.warned || (judged.finding->outcome == Outcome::kWarn && !judged.finding->waived);
  }
  if (&format != &TextFormat() || HasReport(run))
    context.console.Print(format.check(run, context.look(options.verbose)));
  if (format.object != nullptr) return;
  for (const std::string& line : Complaints(run)) context.console.Error(line);
}

// What makes no sense beside hosts that were saved; empty when nothing does. A HOST chooses from a bundle.
std::string OnlyLive(const CheckFlags& options) {
  if (!options.facts.empty() && !options.bundle.empty()) return "--facts and --bundle exclude each other";
  if (!options.facts.empty() && options.named.Any()) {
    return "--facts judges saved hosts: no HOST and no --inventory beside it";
  }
  if (options.named.FromFile()) return "--bundle judges saved hosts: no --inventory beside it";
  const std::string option = options.facts.empty() ? "--bundle" : "--facts";
  if (options.level != Name(Rung::kHost)) {
    return "--level " + options.level + " needs live hosts: " + option + " judges what was saved";
  }
  if (options.max_time.limit) return "--max-time is for live hosts: " + option + " judges what was saved";
  return {};
}

// Saved hosts, at level host: there is nobody to move bytes with.
ExitStatus RunSaved(const Context& context, const CheckFlags& options) {
  if (const std::string wrong = OnlyLive(options); !wrong.empty())
    return context.Fail(ExitStatus::kUsage, wrong);
  if (options.watch_seconds > 0) {
    return context.Fail(ExitStatus::kUsage,
                        "--watch needs live hosts: facts --save DIR --lldp SECONDS keeps what LLDP announces");
  }
  std::optional<Site> site;  // none: each recording says by what it is judged
  if (!options.profiles.empty()) {
    absl::StatusOr<Site> named = ChooseSite(options.profiles);
    if (!named.ok()) return context.Fail(ExitStatus::kUsage, Message(named.status()));
    site = *std::move(named);
  }
  const absl::StatusOr<std::vector<SavedHost>> hosts =
      options.bundle.empty() ? LoadSavedHosts(options.facts)
                             : bundle::LoadBundle(options.bundle, options.named.hosts);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  const CheckSummary run =
      site ? JudgeSavedHosts(*hosts, *site, options.ports) : JudgeSavedHosts(*hosts, options.ports);
  context.interrupt.Disarm();
  Show(context, options, run);
  return StatusOf(run);
}

// What each host asks of the SMB server; nothing below level server.
absl::StatusOr<ProbeOptions> ServerOf(const CheckFlags& options, Rung level) {
  ProbeOptions server{.protocol = Protocol::kSmb, .target = options.target};
  if (level < Rung::kShare) {
    if (!options.share.empty() || !options.credentials.empty()) {
      return absl::InvalidArgumentError("--share and --credentials are for --level share");
    }
    if ((level == Rung::kServer) == !options.target.empty()) return server;
    return absl::InvalidArgumentError(options.target.empty() ? "--level server needs --target SMB-SERVER"
                                                             : "--target is for --level server");
  }
  if (options.share.empty()) return absl::InvalidArgumentError("--level share needs --share //SERVER/SHARE");
  if (!options.target.empty())
    return absl::InvalidArgumentError("--share names the server: no --target beside it");
  RR_ASSIGN_OR_RETURN(const ShareName share, ParseShare(options.share));
  Credentials credentials;  // none: those that the prover of each host has
  if (!options.credentials.empty()) {
    RR_ASSIGN_OR_RETURN(credentials, ReadCredentials(options.credentials));
  }
  server.target = share.server;
  server.prove = true;
  server.volume = share.share;
  server.credentials = std::move(credentials);
  return server;
}

ExitStatus RunCheck(const Context& context, const CheckFlags& options) {
  if (!options.facts.empty() || !options.bundle.empty()) return RunSaved(context, options);
  const HostFlags& named = options.named;
  // What the command line says of profiles is said of all hosts.
  absl::StatusOr<ChosenHosts> chosen =
      ChooseWithOrigins(named.hosts, named.inventory, named.part, options.profiles.empty());
  if (!chosen.ok()) return context.Fail(ExitStatus::kUsage, Message(chosen.status()));
  if (const absl::Status known = CheckWaivers(chosen->origins); !known.ok())
    return context.Fail(ExitStatus::kUsage, Message(known));
  const std::vector<HostAddress>& addresses = chosen->addresses;
  const Rung level = RungFromName(options.level).value_or(Rung::kHost);
  if (const absl::Status count = CheckHostCount(addresses.size(), level); !count.ok()) {
    return context.Fail(ExitStatus::kUsage, Message(count));
  }
  absl::StatusOr<ProbeOptions> server = ServerOf(options, level);
  if (!server.ok()) return context.Fail(ExitStatus::kUsage, Message(server.status()));
  server->timeout = context.global.timeout.value_or(std::chrono::milliseconds::zero());
  if (!server->credentials.user_name.empty()) {
    const absl::Status secret = CheckPrivate(addresses, context.client());
    if (!secret.ok()) return context.Fail(ExitStatus::kUsage, Message(secret));
  }
  HostsCheckOptions how{.level = level,
                        .origins = std::move(chosen->origins),
                        .ports = options.ports,
                        .server = *server,
                        .watch = std::chrono::seconds(options.watch_seconds)};
  if (!options.profiles.empty()) {
    absl::StatusOr<Site> site = ChooseSite(options.profiles);
    if (!site.ok()) return context.Fail(ExitStatus::kUsage, Message(site.status()));
    how.site = *std::move(site);
  }
  context.console.Progress("connecting");
  std::vector<HostClient> hosts = NameClients(addresses, context.client(), context.interrupt);
  HostsCheck check(hosts, std::move(how), [&](const std::string& what) { context.console.Progress(what); });
  context.interrupt.Add([&] { Show(context, options, check.Snapshot()); });
  options.max_time.Arm(context, [&](const std::string& cut) {
    const CheckSummary partial = check.Snapshot(cut);
    Show(context, options, partial);
    return StatusOf(partial);
  });
  const CheckSummary run = check.Run();
  if (const absl::Status apart = CheckNoTwins(hosts); !apart.ok()) {
    return context.Fail(ExitStatus::kUsage, Message(apart));
  }
  context.interrupt.Disarm();
  context.console.EraseProgress();
  Show(context, options, run);
  return StatusOf(run);
}

}  // namespace

Action DefineCheck(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<CheckFlags>();
  AddHostFlags(app, options->named);
  app.add_option(
         "--facts", options->facts,
         "Judge hosts that `facts --save DIR` saved, instead of live ones: one's folder, or that of several")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--bundle", options->bundle,
                 "Judge the hosts of a file that `bundle` made, instead of live ones: all, or each HOST of it")
      ->type_name("FILE");
  app.add_option(
         "--profile", options->profiles,
         "A built-in profile or a YAML file; several, each for the `ports` that it names; or a site file, "
         "which says which hosts follow which (default: what the inventory says, else the agent's own; of "
         "--facts and "
         "--bundle what the recording keeps)")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false);
  app.add_option("--port", options->ports, "Judge only this port of each host: mlx5_0/1, mlx5_0 or ens1f0np0")
      ->type_name("PORT")
      ->allow_extra_args(false);
  app.add_option(
         "--level", options->level,
         "How high to climb: host (look only), loopback (live transfers on each host), peer (between hosts), "
         "smb-direct (as SMB Direct, between hosts), server (each host with the SMB server --target; one host "
         "alone leaves out peer and smb-direct), share (files of --share, by each host's own kernel)")
      ->check(OneOf({"host", "loopback", "peer", "smb-direct", "server", "share"}))
      ->type_name("LEVEL")
      ->capture_default_str();
  app.add_option("--watch", options->watch_seconds,
                 "Watch the ports this long before all else, and judge what counted and which LLDP was heard "
                 "meanwhile (neighbours announce themselves every 30 s)")
      ->check(CLI::Range(1U, 300U))
      ->type_name("SECONDS");
  AddMaxTime(app, options->max_time);
  app.add_option("--target", options->target, "Of level server: name or address of the SMB server")
      ->type_name("SMB-SERVER");
  app.add_option("--share", options->share, "Of level share: its server is probed, and files on it are moved")
      ->type_name("//SERVER/SHARE");
  app.add_option("--credentials", options->credentials,
                 "Of level share: a file that only you can read, with lines username=, password= and domain= "
                 "(default: those that the prover of each host has)")
      ->type_name("FILE");
  app.add_flag(
      "-v,--verbose", options->verbose,
      "A line for every check, with the reason of each that does not apply; else what is well is summed up");
  return [options](const Context& context) { return RunCheck(context, *options); };
}

}  // namespace rdmaready
