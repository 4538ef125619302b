// SPDX-License-Identifier: Apache-2.0
// rdmaready check: judge hosts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "api/base/quantity.h"
#include "api/base/status.h"
#include "api/profile/site.h"
#include "checks/words/names.h"
#include "cli/bundle/saved.h"
#include "cli/command/live_run.h"
#include "cli/commands.h"
#include "cli/connect_flag.h"
#include "cli/credentials.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/hosts_check.h"
#include "cli/fleet/mesh_record.h"
#include "cli/fleet/saved_hosts.h"
#include "cli/fleet/site_choice.h"
#include "cli/fleet/waiting.h"
#include "cli/host_flags.h"
#include "cli/one_of.h"
#include "cli/render/format/judged.h"
#include "cli/render/ladder.h"
#include "cli/render/picture/mesh_picture.h"

namespace rdmaready {
namespace {

struct CheckFlags {
  HostFlags named{};
  std::vector<std::string> facts{};
  std::string bundle{};
  std::vector<std::string> profiles{};
  std::string connect = "cm";
  std::vector<std::string> ports{};
  std::string level = "host";
  std::string target{};
  std::string share{};
  std::string credentials{};
  std::uint32_t watch_seconds = 0;
  bool in_production = false;
  bool mesh = false;
  std::string matrix{};  // a file to write
  std::string resume{};  // a file to read and to add to
  MaxTime max_time{};
  std::string wait{};  // as given; kPlainWait: for the default time
  bool verbose = false;
};

constexpr std::size_t kMostMeshHosts = 256;      // 65,280 ways, each some seconds
constexpr std::string_view kPlainWait = "true";  // what CLI11 takes a bare flag for
constexpr std::string_view kDefaultWait = "5m";
constexpr std::chrono::hours kLongestWait{24};

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
  const bool errors_shown = &format == &TextFormat() && HasReport(run);
  for (const std::string& line : Complaints(run, errors_shown)) context.console.Error(line);
}

// Monitors are warned of a store that is full: it changes no verdict.
ExitStatus StatusFor(const Context& context, const CheckSummary& run) {
  if (!context.global.nagios_exit) return StatusOf(run);
  context.warned = context.warned || !NotStored(run).empty();
  return VerdictStatusOf(run);
}

// Of --wait; nothing without it.
absl::StatusOr<std::optional<std::chrono::milliseconds>> WaitOf(const CheckFlags& options) {
  if (options.wait.empty()) return std::nullopt;
  const auto is_time = [](const std::string& host) { return ParseDuration(host).ok(); };
  const auto time = std::ranges::find_if(options.named.hosts, is_time);
  if (options.wait == kPlainWait && time != options.named.hosts.end())
    return absl::InvalidArgumentError("a time belongs to its option: write --wait=" + *time);
  const absl::StatusOr<std::chrono::milliseconds> wait =
      ParseDuration(options.wait == kPlainWait ? kDefaultWait : std::string_view(options.wait));
  if (!wait.ok()) return absl::InvalidArgumentError("--wait: " + Message(wait.status()));
  if (*wait > kLongestWait) return absl::InvalidArgumentError("--wait: at most 24h");
  return *wait;
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
  if (!options.wait.empty()) return "--wait is for live hosts: " + option + " judges what was saved";
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
  return StatusFor(context, run);
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

// The check that goes on, and the last one of --wait that came to its end.
class Tries {
 public:
  Tries(const Context& context, std::vector<HostClient>& hosts, HostsCheckOptions how)
      : context_(context), hosts_(hosts), how_(std::move(how)) {}

  // Makes one check, and shows its layers as they pass.
  CheckSummary Climb() {
    how_.climbed = [this](const Report& report) {
      if (report.level > Rung::kHost) Show(ladder_.Climbed(report));
    };
    CheckSummary run = Once(how_.level);
    if (const std::string left = Ladder::NotRun(run.report); run.report.level > Rung::kHost && !left.empty())
      Show({left});
    return run;
  }

  CheckSummary Once(Rung level) {
    HostsCheckOptions how = how_;
    how.level = level;
    HostsCheck check(hosts_, std::move(how),
                     [this](const std::string& what) { context_.console.Progress(what); });
    {
      const std::lock_guard lock(mutex_);
      current_ = &check;
    }
    CheckSummary run = check.Run();
    const std::lock_guard lock(mutex_);
    current_ = nullptr;
    last_ = run;
    return run;
  }

  CheckSummary UntilReady(std::chrono::milliseconds limit, const std::string& word) {
    const Waiting::Changed changed = [&](const std::string& headline) {
      if (context_.format().object == nullptr)
        context_.console.Error(fmt::format("waiting, at most {}: {}", word, headline));
    };
    const auto waiting = std::make_shared<Waiting>(limit, how_.level);
    {
      const std::lock_guard lock(mutex_);
      waiting_ = waiting;
    }
    return waiting->Run([this](Rung level) { return Again(level); }, changed);
  }

  // The last check that came to its end; else what is known so far. From any thread.
  CheckSummary Now(std::string_view cut = HostsCheck::kInterrupted) {
    const std::lock_guard lock(mutex_);
    if (waiting_ != nullptr) {
      if (std::optional<CheckSummary> last = waiting_->Last()) return *std::move(last);
    }
    return current_ != nullptr ? current_->Snapshot(cut) : last_;
  }

 private:
  void Show(const std::vector<std::string>& layers) {
    for (const std::string& line : layers) context_.console.Step(line);
  }

  // Hosts that were not reached, or went away, are connected once more.
  CheckSummary Again(Rung level) {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const bool gone = i < last_.notes.size() && last_.notes[i].failure == ExitStatus::kUnreachable;
      hosts_[i].Reopen(gone);
    }
    return Once(level);
  }

  const Context& context_;
  std::vector<HostClient>& hosts_;
  HostsCheckOptions how_;
  Ladder ladder_{};
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<Waiting> waiting_{};
  CheckSummary last_{};
  HostsCheck* current_ = nullptr;
};

// The shorter of --wait and --max-time.
MaxTime EndOf(const CheckFlags& options, const std::optional<std::chrono::milliseconds>& wait,
              const std::string& word) {
  MaxTime end = options.max_time;
  if (wait && (!end.limit || *wait < *end.limit)) end = {.limit = wait, .word = word, .option = "--wait"};
  return end;
}

ExitStatus RunTries(const Context& context, const CheckFlags& options,
                    const std::optional<std::chrono::milliseconds>& wait, std::vector<HostClient>& hosts,
                    HostsCheckOptions how) {
  const std::string word(options.wait == kPlainWait ? kDefaultWait : std::string_view(options.wait));
  Tries tries(context, hosts, std::move(how));
  context.interrupt.Add([&] {
    const CheckSummary known = tries.Now();
    if (!known.report.hosts.empty()) Show(context, options, known);
  });
  EndOf(options, wait, word).Arm(context, [&](const std::string& cut) {
    const CheckSummary known = tries.Now(cut);
    Show(context, options, known);
    return StatusFor(context, known);
  });
  const CheckSummary run = wait ? tries.UntilReady(*wait, word) : tries.Climb();
  if (const absl::Status apart = CheckNoTwins(hosts); !apart.ok()) {
    return context.Fail(ExitStatus::kUsage, Message(apart));
  }
  context.interrupt.Disarm();
  context.console.EraseProgress();
  Show(context, options, run);
  const ExitStatus status = StatusFor(context, run);
  if (options.matrix.empty()) return status;
  return WritePicture(context, "--matrix", options.matrix, MeshPicture(run.report), status);
}

// Options of a mesh that make no sense; empty: they do.
std::string WrongOfMesh(const CheckFlags& options, Rung level, std::size_t hosts) {
  if (options.mesh && level < Rung::kPeer) return "--mesh is for --level peer and above";
  if (options.mesh && hosts > kMostMeshHosts)
    return fmt::format("too many hosts for --mesh: {} (limit {})", hosts, kMostMeshHosts);
  if (!options.mesh && !options.resume.empty()) return "--resume is for --mesh";
  if (!options.matrix.empty() && level < Rung::kPeer) return "--matrix is for --level peer and above";
  if (!options.resume.empty() && !options.wait.empty())
    return "--wait repeats tests, and --resume does not: name one of them";
  return {};
}

// The shape of the tests between `hosts`, and the file of --resume, which has to outlive the check.
absl::Status TakeMesh(const CheckFlags& options, std::size_t hosts, std::unique_ptr<MeshRecord>& record,
                      HostsCheckOptions& how) {
  if (const std::string wrong = WrongOfMesh(options, how.level, hosts); !wrong.empty())
    return absl::InvalidArgumentError(wrong);
  how.shape = options.mesh ? PairShape::kMesh : PairShape::kRing;
  if (options.resume.empty()) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<MeshRecord>> opened = MeshRecord::Open(options.resume);
  if (!opened.ok()) return absl::InvalidArgumentError("--resume: " + Message(opened.status()));
  record = *std::move(opened);
  how.record = record.get();
  return absl::OkStatus();
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
  if (options.connect != "cm" && level < Rung::kPeer)
    return context.Fail(ExitStatus::kUsage, "--connect is for --level peer and above");
  const absl::StatusOr<std::optional<std::chrono::milliseconds>> wait = WaitOf(options);
  if (!wait.ok()) return context.Fail(ExitStatus::kUsage, Message(wait.status()));
  absl::StatusOr<ProbeOptions> server = ServerOf(options, level);
  if (!server.ok()) return context.Fail(ExitStatus::kUsage, Message(server.status()));
  server->timeout = context.global.timeout.value_or(std::chrono::milliseconds::zero());
  server->in_production = options.in_production;
  if (options.in_production && level == Rung::kHost)
    return context.Fail(ExitStatus::kUsage, "--in-production is for --level loopback and above");
  if (!server->credentials.user_name.empty()) {
    const absl::Status secret = CheckPrivate(addresses, context.client());
    if (!secret.ok()) return context.Fail(ExitStatus::kUsage, Message(secret));
  }
  HostsCheckOptions how{.level = level,
                        .origins = std::move(chosen->origins),
                        .ports = options.ports,
                        .server = *server,
                        .in_production = options.in_production,
                        .watch = std::chrono::seconds(options.watch_seconds),
                        .connections = ConnectionsOf(options.connect)};
  if (!options.profiles.empty()) {
    absl::StatusOr<Site> site = ChooseSite(options.profiles);
    if (!site.ok()) return context.Fail(ExitStatus::kUsage, Message(site.status()));
    how.site = *std::move(site);
  }
  std::unique_ptr<MeshRecord> record;
  if (const absl::Status mesh = TakeMesh(options, addresses.size(), record, how); !mesh.ok())
    return context.Fail(ExitStatus::kUsage, Message(mesh));
  context.console.Progress("connecting");
  std::vector<HostClient> hosts = NameClients(addresses, context.client(), context.interrupt);
  return RunTries(context, options, *wait, hosts, std::move(how));
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
  AddConnect(app, options->connect);
  app.add_flag(
      "--mesh", options->mesh,
      "Of level peer and above: test all pairs of hosts, not a ring. A port that fails with each of three "
      "or more partners, while two of them pass with others, is named");
  app.add_option("--matrix", options->matrix, "Draw the tests between hosts as a matrix, an SVG picture")
      ->type_name("FILE.svg");
  app.add_option(
         "--resume", options->resume,
         "Keep the tests of each two ports in this file as they end, and do not repeat those that it has: "
         "a mesh that was interrupted goes on")
      ->type_name("FILE");
  app.add_option("--watch", options->watch_seconds,
                 "Watch the ports this long before all else, and judge what counted and which LLDP was heard "
                 "meanwhile (neighbours announce themselves every 30 s)")
      ->check(CLI::Range(1U, 300U))
      ->type_name("SECONDS");
  AddMaxTime(app, options->max_time);
  app.add_flag(
      "--wait", options->wait,
      "Repeat the check until all hosts are ready, or this time is over: --wait=90s, --wait=2m, at most "
      "24h (--wait alone: 5m). Hosts and agents that are not up yet are waited for; live tests are "
      "repeated only while the settings of all hosts are ready. --max-time ends it earlier");
  app.add_option("--target", options->target, "Of level server: name or address of the SMB server")
      ->type_name("SMB-SERVER");
  app.add_option("--share", options->share, "Of level share: its server is probed, and files on it are moved")
      ->type_name("//SERVER/SHARE");
  app.add_option("--credentials", options->credentials,
                 "Of level share: a file that only you can read, with lines username=, password= and domain= "
                 "(default: those that the prover of each host has)")
      ->type_name("FILE");
  AddInProduction(app, options->in_production);
  app.add_flag(
      "-v,--verbose", options->verbose,
      "A line for every check, with the reason of each that does not apply; else what is well is summed up");
  return [options](const Context& context) { return RunCheck(context, *options); };
}

}  // namespace rdmaready
