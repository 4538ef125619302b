// SPDX-License-Identifier: Apache-2.0
// rdmaready test: live transfers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "api/base/number.h"
#include "api/base/quantity.h"
#include "api/base/status.h"
#include "api/profile/load.h"
#include "cli/command/all_paths.h"
#include "cli/commands.h"
#include "cli/connect_flag.h"
#include "cli/explanation.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/test_runner.h"
#include "cli/render/json.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

struct TestOptions {
  std::string loopback_host{};
  std::vector<std::string> peer_hosts{};
  std::string loopback_port{};
  std::string peer_ports{};
  std::vector<std::string> cases{};
  TransferOptions how{};
  bool no_verify = false;
  std::string duration{};
  std::string max_bytes{};
  std::string tos{};
  std::string profile{};  // of peer
  std::string connect = "cm";
  bool all_paths = false;  // of peer
  MaxTime max_time{};
  bool list = false;
};

// What the command line says of how to test, for those of its words that are not numbers.
absl::Status ReadHow(TestOptions& options) {
  TransferOptions& how = options.how;
  how.verify = !options.no_verify;
  if (!options.duration.empty()) {
    const absl::StatusOr<std::chrono::milliseconds> duration = ParseDuration(options.duration);
    if (!duration.ok()) return absl::InvalidArgumentError("--duration: " + Message(duration.status()));
    how.duration = *duration;
  }
  if (!options.max_bytes.empty()) {
    const absl::StatusOr<std::uint64_t> bytes = ParseSize(options.max_bytes);
    if (!bytes.ok()) return absl::InvalidArgumentError("--max-bytes: " + Message(bytes.status()));
    how.max_bytes = *bytes;
  }
  if (options.tos.empty()) return absl::OkStatus();
  if (options.tos == "system") {
    how.system_tos = true;
    return absl::OkStatus();
  }
  how.tos = ParseNumber<std::uint8_t>(options.tos);
  if (how.tos) return absl::OkStatus();
  return absl::InvalidArgumentError("--tos '" + options.tos + "': 0 to 255, or system");
}

absl::Status KnowCases(const std::vector<std::string>& cases) {
  const std::vector<std::string> known = CaseNames();
  for (const std::string& name : cases) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string nearest = Nearest(name, known);
    return absl::InvalidArgumentError(
        "no test case '" + name + "'" +
        (nearest.empty() ? " (rdmaready test --list names them all)" : " (did you mean " + nearest + "?)"));
  }
  return absl::OkStatus();
}

void Show(const Context& context, const TransferRun& run) {
  context.console.Print(context.format().transfers(run, context.look()));
  for (const TransferRow& row : run.rows) context.warned = context.warned || HasWarning(row.findings);
}

// Results that there are, are always shown; without any, the error is all there is to say.
ExitStatus Tell(const Context& context, const TestRunner::Snapshot& now) {
  if (now.run.rows.empty() && !now.run.error.empty())
    return context.Fail(now.failure, now.run.error, now.failed_host);
  Show(context, now.run);
  if (context.format().object == nullptr) {
    if (!now.run.error.empty()) context.console.Error(now.run.error);
    for (const std::string& line : now.run.store_errors) context.console.Error(line);
  }
  TransferRun judged = now.run;
  if (context.global.nagios_exit && !judged.store_errors.empty()) {
    context.warned = true;
    judged.store_errors.clear();
  }
  return Worse(StatusOf(judged), now.failure);
}

ExitStatus Conclude(const Context& context, const TestRunner& test) {
  context.interrupt.Disarm();
  context.console.EraseProgress();
  return Tell(context, test.Now());
}

void ShowAtInterrupt(const Context& context, const TestRunner& test) {
  context.interrupt.Add([&context, &test] {
    const TestRunner::Snapshot now = test.Now();
    if (!now.run.rows.empty()) Show(context, now.run);
  });
}

absl::StatusOr<std::vector<PortSelection>> ParsePorts(const std::string& text, std::size_t most) {
  std::vector<PortSelection> ports;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    RR_ASSIGN_OR_RETURN(const PortSelection port, ParsePort(text.substr(begin, end - begin)));
    ports.push_back(port);
    begin = end + 1;
  }
  if (ports.size() > most) return absl::InvalidArgumentError("too many ports: '" + text + "'");
  return ports;
}

// SMB Direct connects by RDMA-CM alone.
absl::Status KnowKinds(const TestOptions& options) {
  if (options.connect == "cm") return absl::OkStatus();
  for (const std::string& name : options.cases) {
    const TransferCase* test = FindCase(name);
    if (test != nullptr && test->wrapping == Wrapping::kSmbDirect)
      return absl::InvalidArgumentError("--case " + name +
                                        ": SMB Direct connects by RDMA-CM alone (--connect cm)");
  }
  return absl::OkStatus();
}

using Transfers =
    std::function<void(TestRunner&, const std::vector<HostClient>&, const std::vector<PortSelection>&)>;

// What both kinds have in common. `most_ports` is how many may be named.
ExitStatus RunTransfers(const Context& context, const std::vector<std::string>& names,
                        const std::string& port_text, std::size_t most_ports, const TestOptions& options,
                        const Transfers& transfers) {
  const absl::StatusOr<std::vector<HostAddress>> addresses = ParseHosts(names);
  if (!addresses.ok()) return context.Fail(ExitStatus::kUsage, Message(addresses.status()));
  const absl::StatusOr<std::vector<PortSelection>> ports = ParsePorts(port_text, most_ports);
  if (!ports.ok()) return context.Fail(ExitStatus::kUsage, Message(ports.status()));
  if (const absl::Status known = KnowCases(options.cases); !known.ok()) {
    return context.Fail(ExitStatus::kUsage, Message(known));
  }
  if (const absl::Status kinds = KnowKinds(options); !kinds.ok())
    return context.Fail(ExitStatus::kUsage, Message(kinds));
  TestRunner test([&](const std::string& what) { context.console.Progress(what); });
  test.ConnectBy(ConnectionsOf(options.connect));
  ShowAtInterrupt(context, test);
  const std::string whom = names.empty() ? "this host" : fmt::format("{}", fmt::join(names, " and "));
  options.max_time.Arm(
      context, [&](const std::string& cut) { return Tell(context, test.CutShort(cut + " with " + whom)); });
  context.console.Progress("connecting");
  const absl::StatusOr<std::vector<HostClient>> hosts =
      OpenClients(*addresses, context.client(), context.interrupt);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  for (const HostClient& host : *hosts) {
    if (host.agent == nullptr) return context.Fail(host.failure, host.error, host.name);
  }
  transfers(test, *hosts, *ports);
  return Conclude(context, test);
}

ExitStatus RunLoopback(const Context& context, const TestOptions& options) {
  std::vector<std::string> names;
  if (!options.loopback_host.empty()) names.push_back(options.loopback_host);
  return RunTransfers(context, names, options.loopback_port, 1, options,
                      [&](TestRunner& test, const auto& hosts, const auto& ports) {
                        test.Loopback(hosts[0], ports.empty() ? PortSelection{} : ports[0], options.cases,
                                      options.how);
                      });
}

ExitStatus RunEachPath(const Context& context, const TestOptions& options, const TransferOptions& how,
                       const std::optional<Profile>& profile) {
  if (!options.peer_ports.empty())
    return context.Fail(ExitStatus::kUsage, "--port: --all-paths takes every port that has a path");
  if (options.connect == "both")
    return context.Fail(ExitStatus::kUsage, "--connect both: --all-paths takes cm or verbs");
  if (options.max_time.limit)
    return context.Fail(ExitStatus::kUsage, "--max-time: --all-paths takes as long as --duration says");
  if (context.format().object == nullptr && &context.format() != &TextFormat())
    return context.Fail(
        ExitStatus::kUsage,
        fmt::format("--output {}: --all-paths writes text and objects (json)", context.format().name));
  AllPathsTest test{.hosts = options.peer_hosts, .cases = options.cases, .how = how};
  test.how.connection = ConnectionsOf(options.connect).front();
  return RunAllPaths(context, test, profile.value_or(Profile{}));
}

ExitStatus RunPeer(const Context& context, const TestOptions& options) {
  std::optional<Profile> profile;
  TransferOptions how = options.how;
  if (!options.profile.empty()) {
    absl::StatusOr<Profile> loaded = LoadProfile(options.profile);
    if (!loaded.ok()) return context.Fail(ExitStatus::kUsage, Message(loaded.status()));
    profile = *std::move(loaded);
    if (options.tos.empty()) {
      how.tos = profile->tos;
      how.system_tos = !profile->tos.has_value();
    }
  }
  if (options.all_paths) return RunEachPath(context, options, how, profile);
  return RunTransfers(context, options.peer_hosts, options.peer_ports, 2, options,
                      [&](TestRunner& test, const auto& hosts, const auto& ports) {
                        if (profile) test.JudgeBy(*profile);
                        test.Peer(hosts, ports, options.cases, how);
                      });
}

void AddCases(CLI::App& app, TestOptions& options) {
  app.add_option(
         "--case", options.cases,
         "Only these cases (default: all of plain RDMA, none of SMB Direct, smbd-*; see rdmaready test --list)")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void AddHow(CLI::App& app, TestOptions& options) {
  AddInProduction(app, options.how.in_production);
  app.add_flag(
      "--busy-poll", options.how.busy_poll,
      "Spin on completions instead of sleeping: the latency of the device alone, at the price of a core");
  app.add_option(
         "--qps", options.how.qps,
         "Queue pairs in each direction, each with a thread of its own (1..16; smbd-16-connections has 16)")
      ->check(CLI::Range(1, 16));
  app.add_flag("--bidirectional", options.how.bidirectional,
               "Both directions at the same time, each with its own figures");
  app.add_flag("--no-verify", options.no_verify,
               "Look at no byte: raw speed, and no proof that anything arrived");
  app.add_option("--depth", options.how.depth, "Messages in flight on each queue pair (1..1024); not of send")
      ->check(CLI::Range(1, 1024));
  app.add_option("--duration", options.duration, "Of the measured part of each case, like 5s (default 500ms)")
      ->type_name("TIME");
  app.add_option("--max-bytes", options.max_bytes,
                 "The measured part ends there even before its time, on each queue pair, like 100M")
      ->type_name("SIZE");
  AddConnect(app, options.connect);
  app.add_option(
         "--tos", options.tos,
         "Mark the traffic by this ToS; system: as RDMA-CM is configured (default: as the agent's profile "
         "says, else system)")
      ->type_name("0..255|system");
}

}  // namespace

Action DefineTest(CLI::App& app, const std::function<void(CLI::App&)>& global) {
  auto options = std::make_shared<TestOptions>();
  app.add_flag("--list", options->list, "The names of the cases, one per line");
  CLI::App* loopback = app.add_subcommand("loopback", "Through ports of one host, both ends there");
  loopback->add_option("HOST", options->loopback_host, "name-or-address[:port] of an agent; none: this host");
  loopback->add_option("--port", options->loopback_port, "Only this RDMA port (default: every one)")
      ->type_name("DEV/N");
  CLI::App* peer = app.add_subcommand("peer", "From host A to host B");
  peer->add_option("HOST", options->peer_hosts, "A and B: name-or-address[:port] of their agents")
      ->expected(2)
      ->required();
  peer->add_option("--port", options->peer_ports,
                   "The RDMA port of both, or A's and B's (default: ports that share a subnet)")
      ->type_name("DEV/N[,DEV/N]");
  peer->add_option("--profile", options->profile,
                   "A built-in profile or a YAML file: mark the traffic by its ToS, and prove that writes and "
                   "reads are in its class (tx.effective-class)")
      ->type_name("NAME|FILE");
  peer->add_flag("--all-paths", options->all_paths,
                 "One case (default write-512k for 3s) on every path at once: each path alone, then all "
                 "together, then each alone again");
  for (CLI::App* sub : {loopback, peer}) {
    AddCases(*sub, *options);
    AddHow(*sub, *options);
    AddMaxTime(*sub, options->max_time);
    global(*sub);
  }
  loopback->footer(
      "\nExamples:\n  rdmaready test loopback\n  rdmaready test loopback node1 --port mlx5_0/1 --case "
      "write-512k");
  peer->footer(
      "\nExamples:\n  rdmaready test peer node1 node2\n  rdmaready test peer node1 node2 --port "
      "mlx5_0/1,mlx5_2/1 --case send-1k\n  rdmaready test peer node1 node2 --profile smb-direct-roce --case "
      "write-512k --qps 4\n  rdmaready test peer node1 node2 --all-paths --qps 4");
  app.require_subcommand(0, 1);
  return [=](const Context& context) {
    if (options->list) return context.List(CasesJson(CaseNames()), CaseNames());
    if (const absl::Status how = ReadHow(*options); !how.ok()) {
      return context.Fail(ExitStatus::kUsage, Message(how));
    }
    if (loopback->parsed()) return RunLoopback(context, *options);
    if (peer->parsed()) return RunPeer(context, *options);
    return context.Fail(ExitStatus::kUsage, "test takes loopback, peer or --list (see rdmaready test --help)");
  };
}

}  // namespace rdmaready
