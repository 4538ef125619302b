// SPDX-License-Identifier: Apache-2.0
// rdmaready facts: what is known of hosts.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "cli/bundle/saved.h"
#include "cli/commands.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/host_answers.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/saved_hosts.h"
#include "cli/host_flags.h"
#include "cli/render/json.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

struct FactsOptions {
  HostFlags named{};
  std::vector<std::string> facts{};
  std::string bundle{};
  std::string save{};
  std::vector<std::string> profiles{};
  std::uint32_t lldp_seconds = 0;
};

// Listening is a matter of recordings: their calls may take long, and end when the caller does.
absl::StatusOr<Facts> FactsWithLldp(const HostClient& host, std::chrono::seconds lldp) {
  RR_ASSIGN_OR_RETURN(const auto files, host.agent->GetRecording(lldp));
  return FactsOf(files, host.name);
}

HostFacts Ask(const HostClient& host, std::chrono::seconds lldp) {
  HostFacts answer{.host = host.name, .error = host.error, .failure = host.failure};
  if (host.agent == nullptr) return answer;
  absl::StatusOr<Facts> facts = lldp.count() > 0 ? FactsWithLldp(host, lldp) : host.agent->GetFacts();
  if (facts.ok()) {
    answer.facts = *std::move(facts);
  } else {
    answer.error = Message(facts.status());
    answer.failure = CallFailure(facts.status());
  }
  return answer;
}

ExitStatus ShowFacts(const Context& context, const FactsRun& run) {
  ExitStatus status = ExitStatus::kOk;
  context.console.Print(context.format().facts(run, context.look()));
  for (const HostFacts& host : run.hosts) {
    status = Worse(status, host.failure);
    if (!host.error.empty() && context.format().object == nullptr) context.console.Error(host.error);
  }
  return status;
}

// What recordings hold, shown as live hosts are.
ExitStatus ShowSaved(const Context& context, const FactsOptions& options) {
  const std::string option = options.bundle.empty() ? "--facts" : "--bundle";
  if (!options.bundle.empty() && !options.facts.empty()) {
    return context.Fail(ExitStatus::kUsage, "--facts and --bundle exclude each other");
  }
  if ((options.bundle.empty() && !options.named.hosts.empty()) || options.named.FromFile()) {
    return context.Fail(ExitStatus::kUsage, option + " shows saved hosts: no " +
                                                (options.bundle.empty() ? "HOST and no " : "") +
                                                "--inventory beside it");
  }
  if (!options.save.empty()) {
    return context.Fail(ExitStatus::kUsage, "--save needs live hosts: " + option + " shows what was saved");
  }
  if (options.lldp_seconds > 0) {
    return context.Fail(ExitStatus::kUsage,
                        "--lldp needs live hosts: facts --save DIR --lldp SECONDS keeps what LLDP announces");
  }
  const absl::StatusOr<std::vector<SavedHost>> saved =
      options.bundle.empty() ? LoadSavedHosts(options.facts)
                             : bundle::LoadBundle(options.bundle, options.named.hosts);
  if (!saved.ok()) return context.Fail(ExitStatus::kUsage, Message(saved.status()));
  FactsRun run;
  for (const SavedHost& host : *saved) {
    const ExitStatus failure = host.error.empty() ? ExitStatus::kOk : ExitStatus::kUsage;  // a bad input file
    run.hosts.push_back({.host = host.name, .error = host.error, .failure = failure, .facts = host.facts});
    run.lldp_asked = run.lldp_asked || host.listened;
  }
  context.interrupt.Disarm();
  return ShowFacts(context, run);
}

ExitStatus RunFacts(const Context& context, const FactsOptions& options) {
  const absl::StatusOr<std::vector<HostAddress>> addresses = ChooseHosts(options.named);
  if (!addresses.ok()) return context.Fail(ExitStatus::kUsage, Message(addresses.status()));
  context.console.Progress(options.lldp_seconds > 0 ? "reading facts, listening for LLDP" : "reading facts");
  std::vector<HostClient> clients = NameClients(*addresses, context.client(), context.interrupt);
  HostAnswers<HostFacts> answers(clients);
  const auto known = [&] { return FactsRun{.lldp_asked = options.lldp_seconds > 0, .hosts = answers.All()}; };
  context.interrupt.Add([&] {
    if (answers.HasAny()) static_cast<void>(ShowFacts(context, known()));
  });
  answers.AskAll(clients,
                 [&](const HostClient& host) { return Ask(host, std::chrono::seconds(options.lldp_seconds)); });
  if (const absl::Status apart = CheckNoTwins(clients); !apart.ok())
    return context.Fail(ExitStatus::kUsage, Message(apart));
  context.interrupt.Disarm();
  context.console.EraseProgress();
  return ShowFacts(context, known());
}

HostSave SaveOne(const HostClient& host, HostSaver& saver, std::chrono::seconds lldp,
                 const SavedJudging& judging, std::size_t index) {
  HostSave answer{.host = host.name, .error = host.error, .failure = host.failure};
  if (host.agent == nullptr) return answer;
  const absl::StatusOr<std::optional<JudgedBy>> judged_by = JudgedByOf(judging, index, host.name);
  if (!judged_by.ok()) {
    answer.error = Message(judged_by.status());
    answer.failure = ExitStatus::kUsage;
    return answer;
  }
  const auto files = host.agent->GetRecording(lldp);
  if (!files.ok()) {
    answer.error = Message(files.status());
    answer.failure = CallFailure(files.status());
    return answer;
  }
  absl::StatusOr<std::string> folder = saver.Save(*files, host.name, *judged_by);
  if (folder.ok()) {
    answer.folder = *std::move(folder);
  } else {
    answer.error = Message(folder.status());
    answer.failure = SaveFailure(folder.status());
  }
  return answer;
}

ExitStatus RunSave(const Context& context, const FactsOptions& options) {
  absl::StatusOr<SavingHosts> hosts = HostsToSave(options.named, options.profiles);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  HostSaver saver(options.save);
  std::vector<std::string> names;
  for (const HostAddress& address : hosts->addresses) names.push_back(address.text);
  if (const absl::Status room = saver.Prepare(names); !room.ok()) {
    return context.Fail(SaveFailure(room), Message(room));
  }
  context.console.Progress(options.lldp_seconds > 0 ? "recording, listening for LLDP" : "recording");
  const absl::StatusOr<std::vector<HostClient>> clients =
      OpenClients(hosts->addresses, context.client(), context.interrupt);
  if (!clients.ok()) return context.Fail(ExitStatus::kUsage, Message(clients.status()));
  context.interrupt.Add([&saver] { saver.Abandon(); });
  SaveRun run;
  run.hosts.resize(clients->size());
  FanOut(clients->size(), [&](std::size_t i) {
    run.hosts[i] = SaveOne((*clients)[i], saver, std::chrono::seconds(options.lldp_seconds), hosts->judging, i);
  });
  context.interrupt.Disarm();
  context.console.EraseProgress();

  ExitStatus status = ExitStatus::kOk;
  for (const HostSave& host : run.hosts) status = Worse(status, host.failure);
  context.Print(SavedJson(run), SavedText(run));
  for (const HostSave& host : run.hosts) {
    if (!host.error.empty() && context.format().object == nullptr) context.console.Error(host.error);
  }
  return status;
}

}  // namespace

Action DefineFacts(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<FactsOptions>();
  AddHostFlags(app, options->named);
  app.add_option("--facts", options->facts,
                 "Show hosts that --save saved, instead of live ones: one's folder, or that of several")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--bundle", options->bundle,
                 "Show the hosts of a file that `bundle` made, instead of live ones: all, or each HOST of it")
      ->type_name("FILE");
  app.add_option(
         "--save", options->save,
         "Keep what the kernels were asked and what they answered, for --facts here and of `check`, in "
         "DIR/HOST: names, "
         "hardware and IP addresses, settings of network and RDMA devices, machine-id, limits; no user data")
      ->type_name("DIR");
  app.add_option("--profile", options->profiles,
                 "With --save: the profiles or the site file by which the recording is judged later, kept in "
                 "it (default: "
                 "what the inventory says, else the agent's own)")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false);
  app.add_option("--lldp", options->lldp_seconds,
                 "Listen this long for what LLDP and DCBX agents at both ends of each link announce, sending "
                 "nothing; 35 hears whoever sends each 30 s")
      ->check(CLI::Range(0, 300))
      ->type_name("SECONDS");
  return [options](const Context& context) {
    if (!options->profiles.empty() && options->save.empty())
      return context.Fail(ExitStatus::kUsage,
                          "--profile is for --save: facts are shown as they are, under any profile");
    if (!options->facts.empty() || !options->bundle.empty()) return ShowSaved(context, *options);
    return options->save.empty() ? RunFacts(context, *options) : RunSave(context, *options);
  };
}

}  // namespace rdmaready
