// SPDX-License-Identifier: Apache-2.0
// rdmaready incast: several senders to one receiver at once.
#include "checks/live/incast.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/quantity.h"
#include "api/base/status.h"
#include "api/profile/load.h"
#include "cli/command/live_run.h"
#include "cli/commands.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/incast_runner.h"
#include "cli/render/incast_output.h"
#include "cli/render/picture/incast_picture.h"

namespace rdmaready {
namespace {

struct IncastFlags {
  std::vector<std::string> senders{};
  std::string receiver{};
  std::vector<std::string> victim{};
  std::vector<std::string> second_victim{};
  std::vector<std::string> ports{};  // DEV/N, or HOST=DEV/N
  std::string profile = "smb-direct-roce";
  std::string case_name = "write-512k";
  std::string duration = "10s";
  std::uint32_t qps = 1;
  std::uint32_t victim_mbps = 100;
  std::uint32_t max_mbps = 0;    // of each sender; 0: as much as goes
  std::uint32_t drain_mbps = 0;  // 0: by the receiver's link
  std::string picture{};
};

// Small messages: many of them, so that a p99 is that of several.
constexpr std::string_view kVictimCase = "write-4k";

// The hosts of the command line, each once, and who is what.
struct IncastHosts {
  std::vector<std::string> names{};
  IncastPlan plan{};

  std::size_t Add(const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    names.push_back(name);
    return names.size() - 1;
  }
};

absl::Status AddVictim(std::string_view flag, const std::vector<std::string>& names, IncastHosts& hosts,
                       std::optional<std::pair<std::size_t, std::size_t>>& victim) {
  if (names.empty()) return absl::OkStatus();
  victim = {hosts.Add(names[0]), hosts.Add(names[1])};
  if (victim->first == victim->second)
    return absl::InvalidArgumentError(fmt::format("{} takes two hosts", flag));
  if (victim->first != hosts.plan.receiver && victim->second != hosts.plan.receiver) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("{}: the receiver's port is the one that is full", flag));
}

absl::StatusOr<IncastHosts> HostsOf(const IncastFlags& flags) {
  IncastHosts hosts;
  for (const std::string& name : flags.senders) {
    const std::size_t host = hosts.Add(name);
    if (std::ranges::find(hosts.plan.senders, host) != hosts.plan.senders.end())
      return absl::InvalidArgumentError("host " + name + " is named twice");
    hosts.plan.senders.push_back(host);
  }
  if (hosts.plan.senders.size() < 2) return absl::InvalidArgumentError("an incast needs two senders or more");
  hosts.plan.receiver = hosts.Add(flags.receiver);
  if (hosts.plan.receiver < hosts.plan.senders.size())
    return absl::InvalidArgumentError("--to " + flags.receiver + " is a sender");
  RR_RETURN_IF_ERROR(AddVictim("--victim", flags.victim, hosts, hosts.plan.victim));
  RR_RETURN_IF_ERROR(AddVictim("--second-victim", flags.second_victim, hosts, hosts.plan.second_victim));
  const auto& second = hosts.plan.second_victim;
  if (second && second->first >= hosts.plan.senders.size())
    return absl::InvalidArgumentError("--second-victim: its first host has to be a sender");
  // Each transfer waits for the others on a thread of its own.
  const std::size_t victims = (hosts.plan.victim ? 1U : 0U) + (second ? 1U : 0U);
  if (hosts.plan.senders.size() + victims > kMaxParallel)
    return absl::InvalidArgumentError(
        fmt::format("{} senders: up to {} transfers begin at once", hosts.plan.senders.size(), kMaxParallel));
  return hosts;
}

absl::StatusOr<IncastPlan> IncastPlanOf(const IncastFlags& flags, const IncastHosts& hosts,
                                        const Profile& profile) {
  IncastPlan plan = hosts.plan;
  RR_ASSIGN_OR_RETURN(plan.duration, LiveTime("--duration", flags.duration));
  if (plan.duration < std::chrono::seconds(2)) return absl::InvalidArgumentError("--duration: at least 2s");
  const TransferCase* const test = FindCase(flags.case_name);
  if (test == nullptr || !IsStressCase(*test))
    return absl::InvalidArgumentError("--case " + flags.case_name + ": a case that writes by plain RDMA");
  plan.case_name = flags.case_name;
  plan.victim_case = kVictimCase;
  plan.how = {.qps = flags.qps,
              .depth = StressDepthOf(*test),
              .tos = profile.tos,
              .system_tos = !profile.tos.has_value(),
              .stress = true,
              .stress_priority = profile.rdma_priority,
              .max_bytes_per_s = flags.max_mbps * kBytesOfMegabit};
  plan.victim_bytes_per_s = flags.victim_mbps * kBytesOfMegabit;
  if (flags.drain_mbps > 0) plan.drain_bytes_per_s = flags.drain_mbps * kBytesOfMegabit;
  RR_ASSIGN_OR_RETURN(plan.ports, ChoosePorts(flags.ports, hosts.names));
  return plan;
}

ExitStatus ShowIncast(const Context& context, const IncastFlags& flags, IncastRun run, const Profile& profile) {
  JudgedIncast incast{.run = std::move(run)};
  incast.judged = JudgeIncast(incast.run, profile);
  context.Print(IncastJson(incast), IncastText(incast, context.style()));
  return WritePicture(context, "--svg", flags.picture, IncastPicture(incast.run, incast.judged),
                      StatusOf(incast));
}

ExitStatus RunIncast(const Context& context, const IncastFlags& flags) {
  const absl::StatusOr<IncastHosts> hosts = HostsOf(flags);
  if (!hosts.ok()) return context.Fail(ExitStatus::kUsage, Message(hosts.status()));
  const LiveRun live{.command = "incast", .hosts = hosts->names, .ports_named = !flags.ports.empty()};
  return RunLive<IncastRunner>(
      context, live, LoadProfile(flags.profile),
      [&](const Profile& profile) { return IncastPlanOf(flags, *hosts, profile); },
      [&](IncastRun run, const Profile& profile) {
        return ShowIncast(context, flags, std::move(run), profile);
      });
}

}  // namespace

Action DefineIncast(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto flags = std::make_shared<IncastFlags>();
  app.add_option("HOST", flags->senders, "The senders, two or more: name-or-address[:port] of their agents")
      ->required();
  app.add_option("--to", flags->receiver, "The receiver")->type_name("HOST")->required();
  app.add_option("--victim", flags->victim,
                 "Two hosts beside them, on the same switch: a transfer from the first to the second at a "
                 "fixed rate shows "
                 "what others suffer. It is measured alone twice first")
      ->type_name("HOST HOST")
      ->expected(2);
  app.add_option(
         "--second-victim", flags->second_victim,
         "The same of a sender to another host: correct pauses slow it down, so it is shown and not judged")
      ->type_name("HOST HOST")
      ->expected(2);
  app.add_option("--victim-mbps", flags->victim_mbps, "Its rate on the wire")
      ->check(CLI::Range(1U, 1'000'000U))
      ->type_name("MBPS")
      ->capture_default_str();
  AddLivePorts(app, flags->ports);
  app.add_option("--profile", flags->profile,
                 "Says which priority is RDMA's, how it is marked, and whether it is lossless")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  app.add_option("--case", flags->case_name, "What senders write")->type_name("NAME")->capture_default_str();
  app.add_option("--duration", flags->duration,
                 "Of the incast, 2s or more; each agent has a limit (--stress-max-time)")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--qps", flags->qps, "Queue pairs of each sender")
      ->check(CLI::Range(1U, 16U))
      ->capture_default_str();
  app.add_option("--max-mbps", flags->max_mbps,
                 "What each sender puts on the wire at most (default: as much as goes); each agent has a limit "
                 "(--stress-max-mbps)")
      ->check(CLI::Range(1U, 1'000'000U))
      ->type_name("MBPS");
  app.add_option("--drain-mbps", flags->drain_mbps,
                 "What the receiver's port takes, where the network gives it less than its link, or that is "
                 "not known (a bond)")
      ->check(CLI::Range(1U, 1'000'000U))
      ->type_name("MBPS");
  AddPicture(app, flags->picture, "Draw the rates and what held them back over the time");
  return [flags](const Context& context) { return RunIncast(context, *flags); };
}

}  // namespace rdmaready
