// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/incast_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "api/client/peer_test.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/incast_start.h"
#include "cli/fleet/start_barrier.h"

namespace rdmaready {
namespace {

// From the first call until all are connected. Each agent waits for longer (kStressSetUp of agent/transfer).
constexpr std::chrono::seconds kUntilAllConnected{20};

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
    : hosts_(hosts),
      profile_(profile),
      run_id_(std::move(run_id)),
      caller_(CallerName()),
      progress_(std::move(progress)) {}

absl::Status IncastRunner::ReadHosts() {
  facts_.resize(hosts_.size());
  std::mutex mutex;
  absl::Status failed = absl::OkStatus();
  FanOut(hosts_.size(), [&](std::size_t i) {
    const HostClient& host = hosts_[i];
    const auto read = [&]() -> absl::Status {
      RR_ASSIGN_OR_RETURN(const AgentVersion version, host.agent->GetVersion());
      if (!version.stress) return absl::PermissionDeniedError(NoStress(host.name));
      RR_ASSIGN_OR_RETURN(facts_[i], host.agent->GetFacts());
      return absl::OkStatus();
    }();
    const std::lock_guard lock(mutex);
    failed.Update(read);
  });
  return failed;
}

absl::Status IncastRunner::Prepare(const IncastPlan& plan) {
  RR_RETURN_IF_ERROR(ReadHosts());
  std::vector<PlanHost> hosts;
  for (std::size_t i = 0; i < hosts_.size(); ++i)
    hosts.push_back({.name = hosts_[i].name, .facts = &facts_[i]});
  RR_ASSIGN_OR_RETURN(pairs_, ChooseIncastPairs(hosts, plan, profile_));
  return absl::OkStatus();
}

IncastRunner::Made IncastRunner::Transfer(const IncastPair& pair, const std::string& case_name,
                                          const TransferOptions& how,
                                          const std::function<bool()>& at_start) const {
  PeerTest test{case_name, pair.job.from_port, pair.job.to_port, caller_, run_id_, how};
  test.at_start = at_start;
  PeerAnswer answer = RunPeerTest(*hosts_[pair.job.from].agent, *hosts_[pair.job.to].agent, test);
  Made made{.flow = pair.flow, .status = answer.from_status.ok() ? answer.to_status : answer.from_status};
  made.flow.result = std::move(answer.result);
  made.flow.result.case_name = case_name;
  made.flow.counters = std::move(answer.counters);
  return made;
}

absl::StatusOr<IncastFlow> IncastRunner::Alone(const IncastPair& victim, const IncastPlan& plan) const {
  if (progress_) progress_(fmt::format("the victim alone, {} -> {}", victim.flow.from, victim.flow.to));
  Made made = Transfer(victim, plan.victim_case, OptionsOfVictim(plan), {});
  RR_RETURN_IF_ERROR(made.status);
  return std::move(made.flow);
}

absl::Status IncastRunner::Together(const IncastPlan& plan, IncastRun& run) const {
  TransferOptions of_senders = plan.how;
  of_senders.duration = plan.duration;
  std::vector<const IncastPair*> parties;
  for (const IncastPair& sender : pairs_.senders) parties.push_back(&sender);
  for (const std::optional<IncastPair>* const victim : {&pairs_.victim, &pairs_.second_victim})
    if (*victim) parties.push_back(&**victim);
  StartBarrier barrier(parties.size());
  const auto deadline = std::chrono::steady_clock::now() + kUntilAllConnected;
  std::vector<Made> made(parties.size());
  FanOut(
      parties.size(),
      [&](std::size_t i) {
        const bool sends = i < pairs_.senders.size();
        made[i] =
            Transfer(*parties[i], sends ? plan.case_name : plan.victim_case,
                     sends ? of_senders : OptionsOfVictim(plan), [&] { return barrier.Arrive(deadline); });
        barrier.Break();  // it ended before it arrived
      },
      parties.size());
  std::vector<absl::StatusOr<IncastFlow>> flows;
  for (Made& one : made) {
    if (barrier.begun() || one.status.ok())
      flows.emplace_back(AfterTheStart(std::move(one.flow), one.status));
    else
      flows.emplace_back(one.status);
  }
  if (!barrier.begun()) RR_RETURN_IF_ERROR(WhyNotBegun(flows, barrier.late(), kUntilAllConnected));
  if (pairs_.second_victim) {
    run.second_victim = *std::move(flows.back());
    flows.pop_back();
  }
  if (pairs_.victim) {
    run.victim = *std::move(flows.back());
    flows.pop_back();
  }
  for (absl::StatusOr<IncastFlow>& flow : flows) run.senders.push_back(*std::move(flow));
  return absl::OkStatus();
}

absl::StatusOr<IncastRun> IncastRunner::Run(const IncastPlan& plan) {
  IncastRun run = pairs_.run;
  run.run_id = run_id_;
  if (pairs_.victim) {
    RR_ASSIGN_OR_RETURN(run.victim_alone, Alone(*pairs_.victim, plan));
    RR_ASSIGN_OR_RETURN(run.victim_again, Alone(*pairs_.victim, plan));
  }
  if (pairs_.second_victim) {
    RR_ASSIGN_OR_RETURN(run.second_victim_alone, Alone(*pairs_.second_victim, plan));
  }
  if (progress_) progress_(fmt::format("{} senders to {}", pairs_.senders.size(), hosts_[plan.receiver].name));
  RR_RETURN_IF_ERROR(Together(plan, run));
  return run;
}

}  // namespace rdmaready
