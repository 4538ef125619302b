// SPDX-License-Identifier: Apache-2.0
// rdmaready apply: has hosts set as their profiles want, proven, and taken back unless it is confirmed.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "api/base/quantity.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "checks/words/words.h"
#include "cli/command/apply_flags.h"
#include "cli/fleet/apply_runner.h"
#include "cli/fleet/hosts.h"
#include "cli/render/change_json.h"
#include "cli/render/text_change.h"

namespace rdmaready {
namespace {

struct ApplyFlags {
  ConfigureFlags what{};
  bool yes = false;
  std::string confirm_within = "60s";
  std::string peer{};
  bool no_proof = false;
  bool allow_one_way = false;
  bool persist = false;
  bool rolling = false;
  std::size_t max_unavailable = 1;
};

absl::StatusOr<ApplyOptions> OrderOf(const ApplyFlags& flags) {
  RR_ASSIGN_OR_RETURN(ApplyOptions order, OrderOf(flags.what));
  const absl::StatusOr<std::chrono::milliseconds> within = ParseDuration(flags.confirm_within);
  if (!within.ok()) return absl::InvalidArgumentError("--confirm-within: " + Message(within.status()));
  if (*within <= std::chrono::milliseconds(0))
    return absl::InvalidArgumentError("--confirm-within: nobody confirms in no time");
  if (*within > std::chrono::hours(24)) return absl::InvalidArgumentError("--confirm-within: at most 24h");
  if (flags.no_proof && !flags.peer.empty())
    return absl::InvalidArgumentError("--peer is a proof: not beside --no-proof");
  if (flags.max_unavailable != 1 && !flags.rolling)
    return absl::InvalidArgumentError("--max-unavailable is for --rolling");
  order.confirm_within = *within;
  order.allow_one_way = flags.allow_one_way;
  order.proof = !flags.no_proof;
  order.peer = flags.peer;
  order.persist = flags.persist;
  return order;
}

// Whether the applier of the host has something to do.
bool HasWork(const HostPlan& host, bool persist) {
  if (!host.plan) return false;
  return !host.plan->steps.empty() ||
         (persist && std::ranges::any_of(host.plan->persist, &PersistFile::by_apply));
}

// On standard error and from standard input: the result may go elsewhere.
bool SaysYes(const PlanRun& run, bool persist) {
  std::string names;
  for (const HostPlan& host : run.hosts) {
    if (HasWork(host, persist)) names += (names.empty() ? "" : ", ") + host.host;
  }
  std::fputs(fmt::format("Set this on {}? [y/N] ", Printable(names)).c_str(), stderr);
  std::fflush(stderr);
  std::array<char, 64> answer{};
  if (std::fgets(answer.data(), answer.size(), stdin) == nullptr) return false;
  const std::string word(answer.data());
  return word == "y\n" || word == "yes\n" || word == "Y\n";
}

// What becomes of hosts, as it happens: the steps of one host after the other, and of several hosts the outcome
// of each. Nothing of it where an object is asked for.
class Teller {
 public:
  // `as`: how the hosts are reached. `each`: the steps, too.
  Teller(const Context& context, const std::vector<HostClient>& hosts, ChangeRun as, bool each)
      : context_(context), hosts_(hosts), as_(std::move(as)), each_(each), told_(hosts.size()) {}

  void Ended(std::size_t host, const HostChange& made) {
    if (context_.format().object != nullptr || hosts_.size() < 2) return;
    const std::string text = made.not_begun ? "" : ApplyText(as_, made, Told(host), context_.style());
    const std::lock_guard lock(mutex_);
    Tell(text);
    Complain(context_, made.host, made.error);
  }

  // Whether steps of it stand above.
  bool Told(std::size_t host) const {
    const std::lock_guard lock(mutex_);
    return told_[host] > 0;
  }

  void Changed(std::size_t host, const Change& change) {
    const std::lock_guard lock(mutex_);
    if (each_) TellNew(host, change);
    if (change.state == ChangeState::kProving && !change.proof.loopback_text.empty())
      context_.console.Progress(hosts_[host].name + ": " + change.proof.loopback_text);
  }

 private:
  void TellNew(std::size_t host, const Change& change) {
    std::string text;
    for (std::size_t& told = told_[host]; told < change.steps.size(); ++told) {
      if (change.steps[told].state == StepState::kNotBegun) break;
      if (told == 0) text += context_.style().Paint(Tone::kStrong, Printable(hosts_[host].name)) + "\n";
      text += StepText(change.steps[told], context_.style());
    }
    Tell(text);
  }

  // At once, also where somebody reads it from a pipe.
  void Tell(const std::string& text) {
    if (text.empty()) return;
    context_.console.Print(text);
    static_cast<void>(context_.console.Flush());  // the last one says whether output was lost
  }

  const Context& context_;
  const std::vector<HostClient>& hosts_;
  const ChangeRun as_;
  const bool each_;
  mutable std::mutex mutex_;       // guards what follows
  std::vector<std::size_t> told_;  // how many steps of each host
};

// The hosts with which changes are proven, each called once; they live as long as this.
class Peers {
 public:
  // `known`: the hosts that who asks has named. What an agent names besides them is not called.
  Peers(const Context& context, std::vector<HostAddress> known) : context_(context), known_(std::move(known)) {}

  HostClient& Find(const std::string& name) {
    const auto known = clients_.find(name);
    if (known != clients_.end()) return known->second;
    HostClient& peer = clients_[name];
    peer.name = name;
    const absl::StatusOr<HostAddress> address = ParseHostAddress(name);
    const bool named = address.ok() && std::ranges::any_of(known_, [&](const HostAddress& one) {
                         return IsSameName(one, *address);
                       });
    if (!named) {
      peer.error =
          address.ok()
              ? "only --peer and hosts of this command, or of its inventory, are called; the apply.yaml "
                "of the host names it: --peer " +
                    name + " allows it"
              : Message(address.status());
      peer.failure = ExitStatus::kNotReady;
      return peer;
    }
    peer = std::move(NameClients({*address}, context_.client(), context_.interrupt).front());
    peer.Open();
    return peer;
  }

 private:
  const Context& context_;
  const std::vector<HostAddress> known_;
  std::map<std::string, HostClient> clients_{};
};

// The hosts that the command line names in any way. Of an inventory those of other groups, too; standard input
// was read once, and is gone.
absl::StatusOr<std::vector<HostAddress>> NamedHosts(const ApplyFlags& options,
                                                    const std::vector<HostClient>& hosts) {
  std::vector<HostAddress> named;
  const auto add = [&](const absl::StatusOr<std::vector<HostAddress>>& more) {
    if (more.ok()) named.insert(named.end(), more->begin(), more->end());
    return more.status();
  };
  if (!options.peer.empty()) RR_RETURN_IF_ERROR(add(ParseHosts({options.peer})));
  if (!options.what.named.Any()) return named;
  std::vector<std::string> names;
  for (const HostClient& host : hosts) names.push_back(host.name);
  RR_RETURN_IF_ERROR(add(ParseHosts(names)));
  const std::string& inventory = options.what.named.inventory;
  if (!inventory.empty() && inventory != "-") RR_RETURN_IF_ERROR(add(ChooseHosts({}, inventory)));
  return named;
}

// A host that is its own peer proves nothing that its loopback does not.
absl::Status CheckPeerIsAnother(const HostClient& peer, const std::vector<HostClient>& hosts) {
  const auto self =
      std::ranges::find_if(hosts, [&](const HostClient& host) { return IsSameAgent(host, peer); });
  if (self == hosts.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Cat("--peer ", peer.name, " is host ", self->name, " itself: only another one proves anything"));
}

ChangeRun WithWay(const Context& context, const ApplyFlags& options, ChangeRun run) {
  run.way = SameWay(context.global);
  run.local = !options.what.named.Any();
  return run;
}

// Whoever leaves has to know which hosts are armed, until when, and what settles them.
void TellWhatIsOpen(const Context& context, const ChangeRun& run) {
  context.console.EraseProgress();
  if (context.format().object != nullptr) return context.Print(ApplyJson(run), "");
  for (const std::string& line : LeftOpen(run)) context.console.Error(line);
}

ExitStatus ShowChanges(const Context& context, const ChangeRun& run, bool told) {
  context.interrupt.Disarm();
  context.console.EraseProgress();
  if (run.hosts.size() > 1) {
    context.Print(ApplyJson(run), ApplySummary(run, context.style()));
    return StatusOfApply(run);
  }
  context.Print(ApplyJson(run), ApplyText(run, told, context.style()));
  for (const HostChange& host : run.hosts) Complain(context, host.host, host.error);
  return StatusOfApply(run);
}

// Nothing is asked where nothing can be done; and who cannot be asked has to have said it.
ExitStatus MayBegin(const Context& context, const ApplyFlags& options, const PlanRun& planned, bool& begin) {
  const bool text = context.format().object == nullptr;
  if (text) context.console.Print(PlanText(planned, context.style()));
  begin = true;
  const auto has_work = [&](const HostPlan& host) { return HasWork(host, options.persist); };
  if (options.yes || std::ranges::none_of(planned.hosts, has_work)) return ExitStatus::kOk;
  // An object has no plan that somebody could read before he says yes.
  if (!text || ::isatty(STDIN_FILENO) == 0) {
    begin = false;
    return context.Fail(ExitStatus::kUsage,
                        "nobody can be asked here: --yes says that it is meant (and confirms nothing)");
  }
  context.console.EraseProgress();
  for (const HostPlan& host : planned.hosts) Complain(context, host.host, host.error);
  begin = SaysYes(planned, options.persist);
  return ExitStatus::kOk;
}

ExitStatus RunApply(const Context& context, const ApplyFlags& options) {
  const absl::StatusOr<ApplyOptions> order = OrderOf(options);
  if (!order.ok()) return context.Fail(ExitStatus::kUsage, Message(order.status()));
  absl::StatusOr<ConfiguredHosts> configured = HostsToConfigure(options.what, context);
  if (!configured.ok()) return context.Fail(ExitStatus::kUsage, Message(configured.status()));
  std::vector<HostClient>& hosts = configured->clients;
  absl::StatusOr<std::vector<HostAddress>> named = NamedHosts(options, hosts);
  if (!named.ok()) return context.Fail(ExitStatus::kUsage, Message(named.status()));
  Peers peers(context, *std::move(named));
  HostClient* peer = nullptr;
  context.console.Progress("connecting");
  if (!options.peer.empty()) {
    peer = &peers.Find(options.peer);
    if (peer->agent == nullptr) return context.Fail(peer->failure, "--peer: " + peer->error, options.peer);
  }
  const bool at_once = options.rolling && options.max_unavailable > 1;
  const bool each = context.format().object == nullptr && !at_once;
  Teller teller(context, hosts, WithWay(context, options, {}), each);
  ApplyRunner runner(
      hosts, [&](const std::string& name) { return &peers.Find(name); }, *order,
      {.change = [&](std::size_t host, const Change& change) { teller.Changed(host, change); },
       .ended = [&](std::size_t host, const HostChange& made) { teller.Ended(host, made); },
       .progress = [&](const std::string& what) { context.console.Progress(what); }},
      std::move(configured->origins));
  const PlanRun planned = runner.Plan(options.persist);
  absl::Status apart = CheckNoTwins(hosts);
  if (apart.ok() && peer != nullptr) apart = CheckPeerIsAnother(*peer, hosts);
  if (!apart.ok()) return context.Fail(ExitStatus::kUsage, Message(apart));
  context.console.EraseProgress();
  bool begin = false;
  if (const ExitStatus status = MayBegin(context, options, planned, begin); status != ExitStatus::kOk)
    return status;
  if (!begin) return context.Fail(ExitStatus::kNotReady, "nothing was set");
  context.interrupt.Add([&] { TellWhatIsOpen(context, WithWay(context, options, runner.Snapshot())); });
  ChangeRun run = runner.AskAgain(runner.Apply(planned, at_once ? options.max_unavailable : 1));
  return ShowChanges(context, WithWay(context, options, std::move(run)), teller.Told(0));
}

}  // namespace

Action DefineApply(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<ApplyFlags>();
  AddConfigureFlags(app, options->what);
  app.add_flag("--yes", options->yes, "Answers the question whether to begin; confirms nothing");
  app.add_option("--confirm-within", options->confirm_within,
                 "How long it stays without `rdmaready confirm`, from the end of the proof on: 60s, 10m")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--peer", options->peer, "Prove it with live transfers between each host and this one, too")
      ->type_name("HOST");
  app.add_flag("--no-proof", options->no_proof, "Make no live transfer to prove it; the result says so");
  app.add_flag("--allow-one-way", options->allow_one_way,
               "Also steps that cannot be taken back from Linux; nothing brings those back");
  app.add_flag(
      "--persist", options->persist,
      "Also files that bring the settings back at the next boot, written once it is confirmed; the host's "
      "apply.yaml has to allow it (`files: true`)");
  app.add_flag(
      "--rolling", options->rolling,
      "Several hosts at a time (see --max-unavailable); else one after the other. Either way the first "
      "failure ends it, and what was proven before awaits its confirmation");
  app.add_option("--max-unavailable", options->max_unavailable, "Of --rolling: so many hosts at a time")
      ->check(CLI::Range(1, 32))
      ->type_name("N");
  return [options](const Context& context) { return RunApply(context, *options); };
}

}  // namespace rdmaready
