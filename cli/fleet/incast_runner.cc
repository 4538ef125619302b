// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/incast_runner.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "api/base/status.h"

namespace rdmaready {
namespace {

// As long alone as beside the incast: as many messages, so that all p99 mean the same.
TransferOptions OptionsOfVictim(const IncastPlan& plan) {
  TransferOptions options = plan.how;
  options.qps = 1;
  options.depth = 0;
  options.duration = plan.duration;
  options.max_bytes_per_s = plan.victim_bytes_per_s;
  return options;
}

}  // namespace

IncastRunner::IncastRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
                           AgentClient::Progress progress)
    : hosts_(hosts, std::move(run_id), std::move(progress)), profile_(profile) {}

absl::Status IncastRunner::Prepare(const IncastPlan& plan) {
  RR_RETURN_IF_ERROR(hosts_.Read());
  RR_ASSIGN_OR_RETURN(pairs_, ChooseIncastPairs(hosts_.Hosts(), plan, profile_));
  return absl::OkStatus();
}

absl::StatusOr<StressFlow> IncastRunner::Alone(const StressPair& victim, const IncastPlan& plan) const {
  hosts_.Say(fmt::format("the victim alone, {} -> {}", victim.flow.from, victim.flow.to));
  return hosts_.Alone({&victim, plan.victim_case, OptionsOfVictim(plan)});
}

absl::Status IncastRunner::Together(const IncastPlan& plan, IncastRun& run) const {
  TransferOptions of_senders = plan.how;
  of_senders.duration = plan.duration;
  std::vector<StressTransfer> parts;
  for (const StressPair& sender : pairs_.senders) parts.push_back({&sender, plan.case_name, of_senders});
  for (const std::optional<StressPair>* const victim : {&pairs_.victim, &pairs_.second_victim})
    if (*victim) parts.push_back({&**victim, plan.victim_case, OptionsOfVictim(plan)});
  RR_ASSIGN_OR_RETURN(run.senders, hosts_.Together(parts));
  if (pairs_.second_victim) {
    run.second_victim = std::move(run.senders.back());
    run.senders.pop_back();
  }
  if (pairs_.victim) {
    run.victim = std::move(run.senders.back());
    run.senders.pop_back();
  }
  return absl::OkStatus();
}

absl::StatusOr<IncastRun> IncastRunner::Run(const IncastPlan& plan) {
  IncastRun run = pairs_.run;
  run.run_id = hosts_.run_id();
  if (pairs_.victim) {
    RR_ASSIGN_OR_RETURN(run.victim_alone, Alone(*pairs_.victim, plan));
    RR_ASSIGN_OR_RETURN(run.victim_again, Alone(*pairs_.victim, plan));
  }
  if (pairs_.second_victim) {
    RR_ASSIGN_OR_RETURN(run.second_victim_alone, Alone(*pairs_.second_victim, plan));
  }
  hosts_.Say(fmt::format("{} senders to {}", pairs_.senders.size(), hosts_.name(plan.receiver)));
  RR_RETURN_IF_ERROR(Together(plan, run));
  return run;
}

}  // namespace rdmaready
