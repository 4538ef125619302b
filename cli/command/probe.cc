// SPDX-License-Identifier: Apache-2.0
// rdmaready probe: a storage server, approached as its clients approach it.
#include "checks/probe/probe.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "api/base/status.h"
#include "checks/words/names.h"
#include "cli/commands.h"
#include "cli/credentials.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/test_runner.h"
#include "cli/one_of.h"
#include "cli/render/json.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

struct ProbeFlags {
  std::string protocol{};
  std::string target{};
  std::string from{};
  std::string port{};
  std::uint32_t rdma_port = 0;
  bool prove = false;
  bool in_production = false;
  std::string subsystem{};
  std::string target_name{};
  std::string export_path{};
  std::string share{};
  std::string credentials{};
};

// The options that say on what a proof is made: each for one protocol, and all of them for a proof only.
struct VolumeOption {
  std::string_view name;
  std::string_view protocol;
  std::string ProbeFlags::*value;
};
constexpr VolumeOption kVolumeOptions[] = {{"--subsystem", "nvme", &ProbeFlags::subsystem},
                                           {"--target-name", "iser", &ProbeFlags::target_name},
                                           {"--export", "nfs", &ProbeFlags::export_path},
                                           {"--share", "smb", &ProbeFlags::share}};

// Of the option that fits; InvalidArgument for one that does not.
absl::StatusOr<std::string> VolumeOf(const ProbeFlags& options) {
  std::string volume;
  for (const VolumeOption& option : kVolumeOptions) {
    const std::string& value = options.*option.value;
    if (value.empty()) continue;
    const std::string name(option.name);
    if (options.protocol != option.protocol)
      return absl::InvalidArgumentError(name + " is for probe " + std::string(option.protocol));
    if (!options.prove) return absl::InvalidArgumentError(name + " says on what to make a proof: add --prove");
    volume = value;
  }
  return volume;
}

// A port that is busy, or a host whose ports are not known: nothing was found out.
ExitStatus RefusedProbe(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) ? ExitStatus::kNotReady : CallFailure(status);
}

// What the flags ask for; InvalidArgument where they contradict each other.
absl::StatusOr<ProbeOptions> QuestionOf(const ProbeFlags& options, std::chrono::milliseconds timeout) {
  ProbeOptions question{.protocol = ProtocolFromName(options.protocol).value_or(Protocol::kUnknown),
                        .target = options.target,
                        .port_number = options.rdma_port,
                        .timeout = timeout,
                        .prove = options.prove,
                        .caller = CallerName(),
                        .in_production = options.in_production};
  RR_ASSIGN_OR_RETURN(question.volume, VolumeOf(options));
  if (question.protocol == Protocol::kSmb && options.prove) {
    if (question.volume.empty()) return absl::InvalidArgumentError("probe smb --prove needs --share NAME");
    if (question.volume.starts_with("//") || question.volume.starts_with("\\\\")) {
      return absl::InvalidArgumentError("--share NAME: without the server, which is " + options.target);
    }
    if (!options.credentials.empty()) {
      RR_ASSIGN_OR_RETURN(question.credentials, ReadCredentials(options.credentials));
    }
  } else if (!options.credentials.empty()) {
    return absl::InvalidArgumentError("--credentials is for probe smb --prove");
  }
  if (!options.port.empty()) {
    RR_ASSIGN_OR_RETURN(question.port, ParsePort(options.port));
  }
  return question;
}

ExitStatus RunProbe(const Context& context, const ProbeFlags& options) {
  const absl::StatusOr<ProbeOptions> question =
      QuestionOf(options, context.global.timeout.value_or(std::chrono::milliseconds::zero()));
  if (!question.ok()) return context.Fail(ExitStatus::kUsage, Message(question.status()));
  std::vector<std::string> names;
  if (!options.from.empty()) names.push_back(options.from);
  const absl::StatusOr<std::vector<HostAddress>> addresses = ParseHosts(names);
  if (!addresses.ok()) return context.Fail(ExitStatus::kUsage, Message(addresses.status()));
  context.console.Progress("connecting");
  const absl::StatusOr<std::vector<HostClient>> hosts =
      OpenClients(*addresses, context.client(), context.interrupt);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  const HostClient& host = hosts->front();
  if (host.agent == nullptr) return context.Fail(host.failure, host.error, host.name);
  absl::StatusOr<ProbeAnswer> answer = host.agent->Probe(
      *question, [&](const std::string& step) { context.console.Progress(host.name + ": " + step); });
  context.interrupt.Disarm();
  context.console.EraseProgress();
  if (!answer.ok()) return context.Fail(RefusedProbe(answer.status()), Message(answer.status()), host.name);
  const ProbeSummary run{.host = host.name, .answer = *std::move(answer)};
  context.console.Print(context.format().probe(run, context.look()));
  context.warned = HasWarning(run.answer.findings);
  if (context.format().object == nullptr) {
    for (const std::string& line : {run.answer.store_error, run.answer.store_notice}) {
      if (!line.empty()) context.console.Error("host " + host.name + ": " + line);
    }
  }
  const bool stored = run.answer.store_error.empty();
  if (context.global.nagios_exit) context.warned = context.warned || !stored;
  return OfCheck(ReadinessOfProbe(run.answer.findings), {}, stored || context.global.nagios_exit);
}

}  // namespace

Action DefineProbe(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto options = std::make_shared<ProbeFlags>();
  app.add_option("PROTOCOL", options->protocol, "smb, nvme, iser or nfs")
      ->check(OneOf({"smb", "nvme", "iser", "nfs"}))
      ->required();
  app.add_option("TARGET", options->target, "Name or address of the server")->required();
  app.add_option("--from", options->from,
                 "The host to probe from: name-or-address[:port] of its agent (default: "
                 "this host)")
      ->type_name("HOST");
  app.add_option("--port", options->port, "Through this RDMA port (default: the one that routes to the target)")
      ->type_name("DEV/N");
  app.add_option("--rdma-port", options->rdma_port,
                 "Where the server listens (default: the protocol's own port)")
      ->check(CLI::Range(1, 65535))
      ->type_name("NUMBER");
  app.add_flag(
      "--prove", options->prove,
      "Also move data: smb, nvme and nfs by the probing host's own kernel (a connection or a mount of "
      "its own, gone afterwards), iser by ourselves. Reads only, but for one new file on a share or an "
      "export. An agent lets its rdmaready-prover do it, on the targets that root of the probing host "
      "named in /etc/rdmaready/proofs.yaml");
  AddInProduction(app, options->in_production);
  app.add_option(
         "--subsystem", options->subsystem,
         "nvme: the subsystem of the proof, which cannot do without: this host sees its disks meanwhile")
      ->type_name("NQN");
  app.add_option("--target-name", options->target_name,
                 "iser: the target of the proof (default: the first listed)")
      ->type_name("IQN");
  app.add_option("--export", options->export_path, "nfs: the export of the proof (default: the server's root)")
      ->type_name("PATH");
  app.add_option("--share", options->share, "smb: the share of the proof")->type_name("NAME");
  app.add_option(
         "--credentials", options->credentials,
         "smb: a file that only you can read, with lines username=, password= and domain= (default: those "
         "that the prover of the probing host has)")
      ->type_name("FILE");
  return [options](const Context& context) { return RunProbe(context, *options); };
}

}  // namespace rdmaready
