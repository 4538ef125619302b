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

#include "api/base/status.h"
#include "api/model/cases.h"
#include "api/profile/load.h"
#include "cli/command/live_run.h"
#include "cli/commands.h"
#include "cli/fleet/compare_runner.h"
#include "cli/render/compare_output.h"
#include "cli/render/picture/compare_picture.h"

namespace rdmaready {
namespace {

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
  RR_ASSIGN_OR_RETURN(const auto duration, LiveTime("--duration", flags.duration));
  if (duration < kLeastCompareTime)
    return absl::InvalidArgumentError(fmt::format("--duration: at least {}ms", kLeastCompareTime.count()));
  ComparePlan plan{.rdma = {.verify = !flags.no_verify,
                            .qps = flags.qps,
                            .duration = duration,
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

ExitStatus ShowCompared(const Context& context, const CompareFlags& flags, CompareRun run,
                        const Profile& profile) {
  JudgedCompare compare{.run = std::move(run)};
  compare.judged = JudgeCompare(compare.run, profile);
  context.Print(CompareJson(compare), CompareText(compare, context.style()));
  return WritePicture(context, "--svg", flags.picture, ComparePicture(compare.run, compare.judged),
                      StatusOf(compare));
}

ExitStatus RunCompare(const Context& context, const CompareFlags& flags) {
  const LiveRun live{.command = "compare", .hosts = flags.hosts, .ports_named = !flags.ports.empty()};
  return RunLive<CompareRunner>(
      context, live, LoadProfile(flags.profile),
      [&](const Profile& profile) { return ComparePlanOf(flags, profile); },
      [&](CompareRun run, const Profile& profile) {
        return ShowCompared(context, flags, std::move(run), profile);
      });
}

}  // namespace

Action DefineCompare(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto flags = std::make_shared<CompareFlags>();
  AddTwoHosts(app, flags->hosts);
  AddLivePorts(app, flags->ports);
  app.add_option("--case", flags->cases, "Only these cases (default: all of plain RDMA)")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--profile", flags->profile,
                 "Says how RDMA is marked, and how near TCP may come (max_tcp_percent)")
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
  AddPicture(app, flags->picture, "Draw the main figure of each case and what it costs");
  return [flags](const Context& context) { return RunCompare(context, *flags); };
}

}  // namespace rdmaready
