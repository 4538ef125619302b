// SPDX-License-Identifier: Apache-2.0
// rdmaready failover: numbered writes over all paths between two hosts, while one is cut.
#include "checks/live/failover.h"

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
#include "cli/fleet/cut_runner.h"
#include "cli/fleet/failover_runner.h"
#include "cli/render/failover_output.h"
#include "cli/render/picture/failover_picture.h"

namespace rdmaready {
namespace {

constexpr std::chrono::seconds kLeastFailoverTime{5};

struct FailoverFlags {
  std::vector<std::string> hosts{};
  std::string profile = "smb-direct-roce";
  std::string case_name = "write-8k";
  std::string duration = "20s";
  std::string max_outage{};  // empty: the profile's, else kMaxOutageMs
  std::string path_timeout = "500ms";
  std::string svg{};  // a file; empty: none
  std::uint32_t depth = 8;
  std::uint32_t ack_timeout = 14;
  std::uint32_t retries = 6;
};

// `program`: with its arguments; empty: a person cuts.
absl::StatusOr<FailoverPlan> FailoverPlanOf(const FailoverFlags& flags, const std::vector<std::string>& program,
                                            CutRunner* cut) {
  RR_ASSIGN_OR_RETURN(const auto duration, LiveTime("--duration", flags.duration));
  if (duration < kLeastFailoverTime)
    return absl::InvalidArgumentError("--duration: at least " + std::to_string(kLeastFailoverTime.count()) +
                                      "s");
  RR_ASSIGN_OR_RETURN(const auto timeout, LiveTime("--path-timeout", flags.path_timeout));
  if (timeout < std::chrono::milliseconds(10) || timeout > std::chrono::seconds(10))
    return absl::InvalidArgumentError("--path-timeout: 10ms to 10s");
  const TransferCase* const test = FindCase(flags.case_name);
  if (test == nullptr || !IsStressCase(*test) || test->message_bytes > kMostNumberedBytes)
    return absl::InvalidArgumentError("--case " + flags.case_name +
                                      ": a case that writes at most 64 KB by plain RDMA");
  FailoverPlan plan{.case_name = flags.case_name,
                    .how = {.depth = flags.depth,
                            .duration = duration,
                            .numbered = true,
                            .path_timeout_ms = static_cast<std::uint32_t>(timeout.count()),
                            .ack_timeout = flags.ack_timeout,
                            .retries = flags.retries}};
  if (cut != nullptr) {
    plan.cut = [cut] { return cut->Run(); };
    plan.command = program;
  }
  return plan;
}

absl::StatusOr<std::int64_t> BoundMs(const FailoverFlags& flags, const Profile& profile) {
  if (flags.max_outage.empty()) return profile.max_outage_ms.value_or(kMaxOutageMs);
  RR_ASSIGN_OR_RETURN(const auto bound, LiveTime("--max-outage", flags.max_outage));
  return bound.count();
}

ExitStatus RunFailover(const Context& context, const FailoverFlags& flags) {
  const absl::StatusOr<Profile> profile = LoadProfile(flags.profile);
  if (!profile.ok()) return context.Fail(ExitStatus::kUsage, Message(profile.status()));
  const absl::StatusOr<std::int64_t> bound_ms = BoundMs(flags, *profile);
  if (!bound_ms.ok()) return context.Fail(ExitStatus::kUsage, Message(bound_ms.status()));
  std::shared_ptr<CutRunner> cut;
  const std::vector<std::string>& program = context.global.program;
  if (!program.empty()) {
    absl::StatusOr<std::string> path = CutRunner::Find(program.front());
    if (!path.ok()) return context.Fail(ExitStatus::kUsage, Message(path.status()));
    cut = std::make_shared<CutRunner>(*std::move(path), program);
    context.interrupt.AddStop([cut] { cut->Stop(); });
  }
  const LiveRun live{.command = "failover", .hosts = flags.hosts};
  return RunLive<FailoverRunner>(
      context, live, profile, [&](const Profile&) { return FailoverPlanOf(flags, program, cut.get()); },
      [&](FailoverRun run, const Profile&) {
        JudgedFailover failover{.run = std::move(run)};
        failover.judged = JudgeFailover(failover.run, *bound_ms);
        context.Print(FailoverJson(failover), FailoverText(failover, context.style()));
        return WritePicture(context, "--svg", flags.svg, FailoverPicture(failover.run, failover.judged),
                            StatusOf(failover));
      });
}

}  // namespace

Action DefineFailover(CLI::App& app, const std::function<void(CLI::App&)>&) {
  auto flags = std::make_shared<FailoverFlags>();
  flags->hosts.resize(2);
  app.add_option("HOST", flags->hosts[0], "Writes to the other one: name-or-address[:port] of its agent")
      ->required();
  app.add_option("PEER", flags->hosts[1],
                 "Keeps the log of what is written: name-or-address[:port] of its agent")
      ->required();
  app.add_option("--profile", flags->profile, "Says how long a write may be missing (max_outage_ms)")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  app.add_option("--case", flags->case_name, "What is written, of at most 64 KB")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--duration", flags->duration,
                 "New writes are made for so long, 5s or more; each agent has a limit (--test-max-time)")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option(
         "--max-outage", flags->max_outage,
         "A write may be missing in the log, or not answered, for so long (default: the profile's, else 1s)")
      ->type_name("TIME");
  app.add_option("--path-timeout", flags->path_timeout, "A path that answers nothing for so long is lost")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--depth", flags->depth, "Writes under way on each path")
      ->check(CLI::Range(1U, 16U))
      ->capture_default_str();
  app.add_option("--ack-timeout", flags->ack_timeout,
                 "A packet is sent again where 4.096 us * 2^N pass without an acknowledgement")
      ->check(CLI::Range(8U, 21U))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--retries", flags->retries, "Times that it is sent again; then the connection has failed")
      ->check(CLI::Range(0U, 6U))
      ->capture_default_str();
  AddPicture(app, flags->svg, "Draw when each path was used, and when a write was missing");
  return [flags](const Context& context) { return RunFailover(context, *flags); };
}

}  // namespace rdmaready
