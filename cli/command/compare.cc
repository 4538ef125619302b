// SPDX-License-Identifier: Apache-2.0
// rdmaready compare: RDMA beside TCP, in turns, with the processor time of both hosts.
#include "checks/live/compare.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/base/quantity.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/model/cases.h"
#include "api/pki/file.h"
#include "api/profile/load.h"
#include "cli/commands.h"
#include "cli/fleet/compare_runner.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/test_runner.h"
#include "cli/render/compare_output.h"
#include "cli/render/picture/compare_picture.h"

namespace rdmaready {
namespace {

constexpr ::mode_t kComparePictureMode = 0644;
// The kernel counts the time of CPUs in steps of 10 ms.
constexpr std::chrono::milliseconds kLeastCompareTime{500};

struct CompareFlags {
  std::vector<std::string> hosts{};
  std::vector<std::string> ports{};  // DEV/N, or HOST=DEV/N
  std::vector<std::string> cases{};
  std::string profile = "smb-direct-roce";
  std::string duration = "2s";
  std::uint32_t rounds = 1;
  std::uint32_t qps = 1;
  bool no_verify = false;
  std::optional<std::uint32_t> tos{};  // of TCP
  std::string picture{};
};

// All of plain RDMA where none is named.
absl::StatusOr<std::vector<std::string>> ComparedCases(const std::vector<std::string>& named) {
  std::vector<std::string> names = named;
  if (names.empty()) {
    for (const TransferCase& test : CasesOn(Rung::kPeer)) names.emplace_back(test.name);
  }
  for (const std::string& name : names) {
    const TransferCase* const test = FindCase(name);
    if (test == nullptr || test->wrapping != Wrapping::kNone)
      return absl::InvalidArgumentError("--case " + name + ": a case of plain RDMA (rdmaready test --list)");
  }
  return names;
}

absl::StatusOr<ComparePlan> ComparePlanOf(const CompareFlags& flags, const Profile& profile) {
  const absl::StatusOr<std::chrono::milliseconds> duration = ParseDuration(flags.duration);
  if (!duration.ok()) return absl::InvalidArgumentError("--duration: " + Message(duration.status()));
  if (*duration < kLeastCompareTime)
    return absl::InvalidArgumentError(fmt::format("--duration: at least {}ms", kLeastCompareTime.count()));
  ComparePlan plan{.rdma = {.verify = !flags.no_verify,
                            .qps = flags.qps,
                            .duration = *duration,
                            .tos = profile.tos,
                            .system_tos = !profile.tos.has_value(),
                            .measure_cpu = true},
                   .rounds = flags.rounds};
  plan.tcp = plan.rdma;
  plan.tcp.over_tcp = true;
  plan.tcp.tos.reset();
  if (flags.tos) plan.tcp.tos = static_cast<std::uint8_t>(*flags.tos);
  plan.tcp.system_tos = !flags.tos.has_value();
  RR_ASSIGN_OR_RETURN(plan.cases, ComparedCases(flags.cases));
  RR_ASSIGN_OR_RETURN(plan.ports, ChoosePorts(flags.ports, flags.hosts));
  return plan;
}

ExitStatus ShowCompared(const Context& context, const CompareFlags& flags, CompareRun run) {
  JudgedCompare compare{.run = std::move(run)};
  compare.judged = JudgeCompare(compare.run);
  context.Print(CompareJson(compare), CompareText(compare, context.style()));
  if (!flags.picture.empty()) {
    const absl::Status drawn = pki::WriteFile(flags.picture, ComparePicture(compare.run, compare.judged),
                                              kComparePictureMode, pki::Existing::kReplaced);
    if (!drawn.ok()) return context.Fail(ExitStatus::kOwnFailure, "--svg: " + Message(drawn));
  }
  return StatusOf(compare);
}

ExitStatus RunCompare(const Context& context, const CompareFlags& flags) {
  const absl::StatusOr<Profile> profile = LoadProfile(flags.profile);
  if (!profile.ok()) return context.Fail(ExitStatus::kUsage, Message(profile.status()));
  const absl::StatusOr<ComparePlan> plan = ComparePlanOf(flags, *profile);
  if (!plan.ok()) return context.Fail(ExitStatus::kUsage, Message(plan.status()));
  const absl::StatusOr<std::vector<HostAddress>> addresses = ParseHosts(flags.hosts);
  if (!addresses.ok()) return context.Fail(ExitStatus::kUsage, Message(addresses.status()));
  if (addresses->size() != 2) return context.Fail(ExitStatus::kUsage, "compare takes single hosts, no lists");
  context.console.Progress("connecting");
  const absl::StatusOr<std::vector<HostClient>> hosts =
      OpenClients(*addresses, context.client(), context.interrupt);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  for (const HostClient& host : *hosts)
    if (host.agent == nullptr) return context.Fail(host.failure, host.error, host.name);
  CompareRunner runner(*hosts, *profile, MakeRunId(),
                       [&](const std::string& what) { context.console.Progress(what); });
  const absl::Status prepared = runner.Prepare(*plan);
  if (!prepared.ok()) {
    context.interrupt.Disarm();
    context.console.EraseProgress();
    return context.Fail(RefusedTest(prepared, !flags.ports.empty()), Message(prepared));
  }
  absl::StatusOr<CompareRun> run = runner.Run(*plan);
  context.interrupt.Disarm();
  context.console.EraseProgress();
  if (!run.ok()) return context.Fail(CallFailure(run.status()), Message(run.status()));
  return ShowCompared(context, flags, *std::move(run));
}

}  // namespace

Action DefineCompare(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto flags = std::make_shared<CompareFlags>();
  app.add_option("HOST", flags->hosts, "From the first to the second: name-or-address[:port] of their agents")
      ->expected(2)
      ->required();
  app.add_option(
         "--port", flags->ports,
         "The RDMA port of that name: of that host, or of every other one (default: those of one subnet). May "
         "be repeated")
      ->type_name("[HOST=]DEV/N")
      ->allow_extra_args(false);
  app.add_option("--case", flags->cases, "Only these cases (default: all of plain RDMA)")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--profile", flags->profile, "Says how RDMA is marked")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  app.add_option("--duration", flags->duration,
                 "Of each transfer, 500ms or more; an idle time of the same length is measured before it")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--rounds", flags->rounds, "Of four transfers each: RDMA, TCP, TCP, RDMA")
      ->check(CLI::Range(1U, 20U))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--qps", flags->qps, "Queue pairs of RDMA, and connections of TCP")
      ->check(CLI::Range(1U, 16U))
      ->capture_default_str();
  app.add_flag("--no-verify", flags->no_verify,
               "Look at no byte: raw speed, and no proof that anything arrived");
  app.add_option("--tos", flags->tos, "Marks the TCP traffic (default: it has no mark)")
      ->check(CLI::Range(0U, 255U))
      ->type_name("TOS");
  app.add_option("--svg", flags->picture, "Writes a picture of it there")->type_name("FILE");
  return [flags](const Context& context) { return RunCompare(context, *flags); };
}

}  // namespace rdmaready
