// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/compare_runner.h"

#include <fmt/format.h>

#include <utility>

#include "api/base/status.h"

namespace rdmaready {

CompareRunner::CompareRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
                             AgentClient::Progress progress)
    : hosts_(hosts, std::move(run_id), std::move(progress), StressHosts::Part::kTcpTest), profile_(profile) {}

absl::Status CompareRunner::Prepare(const ComparePlan& plan) {
  RR_RETURN_IF_ERROR(hosts_.Read());
  const std::vector<PlanHost> hosts = hosts_.Hosts();
  RR_ASSIGN_OR_RETURN(const StressPairing pairing, StressPairing::Between(hosts, plan.ports, profile_));
  RR_ASSIGN_OR_RETURN(std::vector<PairJob> jobs, pairing.Jobs(0, 1));
  pair_ = pairing.PairOf(std::move(jobs.front()));
  known_ = {.run_id = hosts_.run_id(),
            .from = hosts_.name(0),
            .to = hosts_.name(1),
            .subject = pair_.job.place.subject,
            .software = pair_.flow.software};
  return absl::OkStatus();
}

absl::StatusOr<CompareCase> CompareRunner::RunCase(const ComparePlan& plan,
                                                   const std::string& case_name) const {
  CompareCase made{.case_name = case_name};
  for (std::uint32_t round = 0; round < plan.rounds; ++round) {
    for (const bool tcp : {false, true, true, false}) {
      hosts_.Say(fmt::format("{} over {}, {} of {}", case_name, tcp ? "TCP" : "RDMA",
                             made.rdma.size() + made.tcp.size() + 1, plan.rounds * 4));
      StressTransfer transfer{&pair_, case_name, tcp ? plan.tcp : plan.rdma};
      transfer.how.over_tcp = tcp;
      transfer.how.measure_cpu = true;
      RR_ASSIGN_OR_RETURN(StressFlow flow, hosts_.Alone(transfer));
      (tcp ? made.tcp : made.rdma).push_back(std::move(flow));
    }
  }
  return made;
}

absl::StatusOr<CompareRun> CompareRunner::Run(const ComparePlan& plan) const {
  CompareRun run = known_;
  for (const std::string& name : plan.cases) {
    RR_ASSIGN_OR_RETURN(CompareCase made, RunCase(plan, name));
    run.cases.push_back(std::move(made));
  }
  return run;
}

}  // namespace rdmaready
