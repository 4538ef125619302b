// SPDX-License-Identifier: Apache-2.0
// rdmaready ets: RDMA and TCP together, each class's share beside its configured one.
#include "checks/live/ets.h"

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
#include "api/base/status.h"
#include "api/model/cases.h"
#include "api/profile/load.h"
#include "cli/command/live_run.h"
#include "cli/commands.h"
#include "cli/fleet/ets_runner.h"
#include "cli/render/ets_output.h"

namespace rdmaready {
namespace {

constexpr std::chrono::seconds kLeastEtsTime{3};  // the first second of it does not count

struct EtsFlags {
  std::vector<std::string> hosts{};
  std::vector<std::string> ports{};  // DEV/N, or HOST=DEV/N
  std::string profile = "smb-direct-roce";
  std::string case_name = "write-512k";
  std::string duration = "10s";
  std::uint32_t qps = 4;
  std::optional<std::uint32_t> tos{};  // of TCP
  std::uint32_t max_mbps = 0;          // of each; 0: as much as goes
  std::uint32_t tcp_max_mbps = 0;      // of TCP; 0: as max_mbps
};

absl::StatusOr<EtsTestPlan> EtsPlanOf(const EtsFlags& flags, const Profile& profile) {
  RR_ASSIGN_OR_RETURN(const auto duration, LiveTime("--duration", flags.duration));
  if (duration < kLeastEtsTime)
    return absl::InvalidArgumentError(fmt::format("--duration: at least {}s", kLeastEtsTime.count()));
  const TransferCase* const test = FindCase(flags.case_name);
  if (test == nullptr || !IsStressCase(*test))
    return absl::InvalidArgumentError("--case " + flags.case_name + ": a case that writes by plain RDMA");
  EtsTestPlan plan{.case_name = flags.case_name,
                   .rdma = {.qps = flags.qps,
                            .depth = StressDepthOf(*test),
                            .duration = duration,
                            .tos = profile.tos,
                            .system_tos = !profile.tos.has_value(),
                            .stress = true,
                            .stress_priority = profile.rdma_priority,
                            .max_bytes_per_s = flags.max_mbps * kBytesOfMegabit}};
  plan.tcp = plan.rdma;  // also the priority: the transfers of one run sample one on a port
  plan.tcp.over_tcp = true;
  plan.tcp.tos.reset();
  if (flags.tos) plan.tcp.tos = static_cast<std::uint8_t>(*flags.tos);
  plan.tcp.system_tos = !flags.tos.has_value();
  if (flags.tcp_max_mbps > 0) plan.tcp.max_bytes_per_s = flags.tcp_max_mbps * kBytesOfMegabit;
  RR_ASSIGN_OR_RETURN(plan.ports, ChoosePorts(flags.ports, flags.hosts));
  return plan;
}

ExitStatus ShowEts(const Context& context, EtsAnswer answer, const Profile& profile) {
  JudgedEts ets{.run = std::move(answer.run)};
  ets.judged = JudgeEts(ets.run, answer.sender, profile);
  context.Print(EtsJson(ets), EtsResultText(ets, context.style()));
  return StatusOf(ets);
}

ExitStatus RunEts(const Context& context, const EtsFlags& flags) {
  const LiveRun live{.command = "ets", .hosts = flags.hosts, .ports_named = !flags.ports.empty()};
  return RunLive<EtsRunner>(
      context, live, LoadProfile(flags.profile),
      [&](const Profile& profile) { return EtsPlanOf(flags, profile); },
      [&](EtsAnswer answer, const Profile& profile) { return ShowEts(context, std::move(answer), profile); });
}

}  // namespace

Action DefineEts(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto flags = std::make_shared<EtsFlags>();
  AddTwoHosts(app, flags->hosts);
  AddLivePorts(app, flags->ports);
  app.add_option("--profile", flags->profile, "Says which priority is RDMA's, and how it is marked")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  app.add_option("--case", flags->case_name, "What both write")->type_name("NAME")->capture_default_str();
  app.add_option("--duration", flags->duration,
                 "Of each of the three parts, 3s or more; each agent has a limit (--stress-max-time)")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--qps", flags->qps, "Queue pairs of RDMA, and connections of TCP")
      ->check(CLI::Range(1U, 16U))
      ->capture_default_str();
  app.add_option("--tos", flags->tos, "Marks the TCP traffic (default: it has no mark)")
      ->check(CLI::Range(0U, 255U))
      ->type_name("TOS");
  app.add_option("--max-mbps", flags->max_mbps,
                 "What each of the two puts on the wire at most (default: as much as goes); each agent has a "
                 "limit (--stress-max-mbps)")
      ->check(CLI::Range(1U, 1'000'000U))
      ->type_name("MBPS");
  app.add_option("--tcp-max-mbps", flags->tcp_max_mbps, "The same of TCP alone")
      ->check(CLI::Range(1U, 1'000'000U))
      ->type_name("MBPS");
  return [flags](const Context& context) { return RunEts(context, *flags); };
}

}  // namespace rdmaready
