// SPDX-License-Identifier: Apache-2.0
// rdmaready pfc: one host pauses a priority of its link partner, which is judged.
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
#include "checks/live/obeys_pfc.h"
#include "cli/command/live_run.h"
#include "cli/commands.h"
#include "cli/fleet/pfc_runner.h"
#include "cli/render/pfc_output.h"
#include "cli/render/picture/pfc_picture.h"

namespace rdmaready {
namespace {

constexpr std::chrono::milliseconds kLeastPfcBurst{80};  // four intervals of the transfers
constexpr std::chrono::milliseconds kMostPfcBurst{100};
constexpr std::chrono::milliseconds kMostPaused{1'000};
constexpr unsigned kDscpOfTosShift = 2;

struct PfcFlags {
  std::string pauser{};
  std::string judged{};
  std::vector<std::string> ports{};  // DEV/N, or HOST=DEV/N
  std::string profile = "nvidia-lossless";
  std::string case_name = "write-4k";
  std::string burst = "100ms";
  std::string listen = "31s";
  std::uint32_t bursts = 5;
  std::uint32_t beside_tos = 0;
  std::uint32_t max_mbps = 0;  // of each transfer; 0: as much as goes
  std::string picture{};
};

std::optional<std::uint8_t> TosOfPfc(const Profile& profile) {
  if (profile.tos || !profile.dscp) return profile.tos;
  return static_cast<std::uint8_t>(*profile.dscp << kDscpOfTosShift);
}

absl::Status SetPfcTimes(const PfcFlags& flags, PfcPlan& plan) {
  RR_ASSIGN_OR_RETURN(plan.burst, LiveTime("--burst", flags.burst));
  if (plan.burst < kLeastPfcBurst || plan.burst > kMostPfcBurst)
    return absl::InvalidArgumentError("--burst: 80ms to 100ms");
  if (plan.burst * flags.bursts > kMostPaused)
    return absl::InvalidArgumentError("--bursts: all of them take at most a second");
  RR_ASSIGN_OR_RETURN(const auto listen, LiveTime("--listen", flags.listen));
  plan.bursts = flags.bursts;
  plan.listen = std::chrono::ceil<std::chrono::seconds>(listen);
  return absl::OkStatus();
}

absl::StatusOr<PfcPlan> PfcPlanOf(const PfcFlags& flags, const Profile& profile) {
  const std::optional<std::uint8_t> tos = TosOfPfc(profile);
  if (!profile.rdma_priority || !tos) {
    return absl::InvalidArgumentError(fmt::format(
        "profile {} does not say which priority RDMA has and how it is marked (rdma_priority, and tos "
        "or dscp)",
        profile.name));
  }
  const TransferCase* const test = FindCase(flags.case_name);
  if (test == nullptr || !IsStressCase(*test))
    return absl::InvalidArgumentError("--case " + flags.case_name + ": a case that writes by plain RDMA");
  PfcPlan plan{.case_name = flags.case_name,
               .how = {.qps = 1,
                       .depth = StressDepthOf(*test),
                       .stress = true,
                       .stress_priority = profile.rdma_priority,
                       .max_bytes_per_s = flags.max_mbps * kBytesOfMegabit},
               .priority = *profile.rdma_priority,
               .tos = *tos,
               .beside_tos = static_cast<std::uint8_t>(flags.beside_tos)};
  if (plan.tos >> kDscpOfTosShift == plan.beside_tos >> kDscpOfTosShift)
    return absl::InvalidArgumentError("--beside-tos: it has the DSCP of RDMA");
  RR_RETURN_IF_ERROR(SetPfcTimes(flags, plan));
  const std::vector<std::string> names{flags.pauser, flags.judged};
  RR_ASSIGN_OR_RETURN(plan.ports, ChoosePorts(flags.ports, names));
  return plan;
}

ExitStatus ShowPfc(const Context& context, const PfcFlags& flags, PfcRun run) {
  JudgedPfc pfc{.run = std::move(run)};
  pfc.judged = JudgePfc(pfc.run);
  context.Print(PfcJson(pfc), PfcResultText(pfc, context.style()));
  return WritePicture(context, "--svg", flags.picture, PfcPicture(pfc.run, pfc.judged), StatusOf(pfc));
}

ExitStatus RunPfc(const Context& context, const PfcFlags& flags) {
  const LiveRun live{
      .command = "pfc", .hosts = {flags.pauser, flags.judged}, .ports_named = !flags.ports.empty()};
  return RunLive<PfcRunner>(
      context, live, LoadProfile(flags.profile),
      [&](const Profile& profile) { return PfcPlanOf(flags, profile); },
      [&](PfcRun run, const Profile&) { return ShowPfc(context, flags, std::move(run)); });
}

}  // namespace

Action DefinePfc(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto flags = std::make_shared<PfcFlags>();
  app.add_option("PAUSER", flags->pauser,
                 "The host that pauses: name-or-address[:port] of its agent. Its root names the interface in "
                 "/etc/rdmaready/pauses.yaml")
      ->required();
  app.add_option("HOST", flags->judged, "The host at the other end of the cable, whose NIC is judged")
      ->required();
  AddLivePorts(app, flags->ports);
  app.add_option("--profile", flags->profile,
                 "Says which priority is RDMA's and how it is marked, and whether the link is direct")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  app.add_option("--case", flags->case_name, "What both transfers write")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--burst", flags->burst, "How long each pause lasts, 80ms to 100ms")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--bursts", flags->bursts, "How many; a port has a second in an hour")
      ->check(CLI::Range(3U, 12U))
      ->capture_default_str();
  app.add_option("--beside-tos", flags->beside_tos, "The mark of the other transfer, in another priority")
      ->check(CLI::Range(0U, 255U))
      ->type_name("TOS")
      ->capture_default_str();
  app.add_option(
         "--max-mbps", flags->max_mbps,
         "What each transfer puts on the wire at most (default: as much as goes); each agent has a limit "
         "(--stress-max-mbps)")
      ->check(CLI::Range(1U, 1'000'000U))
      ->type_name("MBPS");
  app.add_option("--listen", flags->listen,
                 "How long both hosts listen for LLDP, where the profile does not say `direct_link: true`")
      ->type_name("TIME")
      ->capture_default_str();
  AddPicture(app, flags->picture, "Draw the rates of both transfers and the time of the pauses");
  return [flags](const Context& context) { return RunPfc(context, *flags); };
}

}  // namespace rdmaready
