// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/ets_runner.h"

#include <fmt/format.h>

#include <utility>

#include "absl/status/status.h"
#include "api/base/status.h"

namespace rdmaready {

EtsRunner::EtsRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
                     AgentClient::Progress progress)
    : hosts_(hosts, std::move(run_id), std::move(progress)), profile_(profile) {}

absl::Status EtsRunner::Prepare(const EtsTestPlan& plan) {
  RR_RETURN_IF_ERROR(hosts_.Read());
  const std::vector<PlanHost> hosts = hosts_.Hosts();
  RR_ASSIGN_OR_RETURN(const StressPairing pairing, StressPairing::Between(hosts, plan.ports, profile_));
  RR_ASSIGN_OR_RETURN(std::vector<PairJob> jobs, pairing.Jobs(0, 1));
  pair_ = pairing.PairOf(std::move(jobs.front()));
  const Port* const sender = pairing.PortOf(0, pair_.job.from_port);
  const Port* const receiver = pairing.PortOf(1, pair_.job.to_port);
  if (sender == nullptr || receiver == nullptr) return absl::InternalError("a port of the pair is not known");
  known_ = {.run = {.run_id = hosts_.run_id(),
                    .sender_bytes_per_s = LinkBytesPerSecond(*sender),
                    .receiver_bytes_per_s = LinkBytesPerSecond(*receiver)},
            .sender = *sender};
  if (!plan.tcp.system_tos) known_.run.tcp_tos = plan.tcp.tos;
  return absl::OkStatus();
}

absl::StatusOr<EtsAnswer> EtsRunner::Run(const EtsTestPlan& plan) const {
  EtsAnswer answer = known_;
  const StressTransfer rdma{&pair_, plan.case_name, plan.rdma};
  StressTransfer tcp{&pair_, plan.case_name, plan.tcp};
  tcp.how.over_tcp = true;
  const std::string way = fmt::format("{} -> {}", hosts_.name(0), hosts_.name(1));
  hosts_.Say("RDMA alone, " + way);
  RR_ASSIGN_OR_RETURN(answer.run.rdma_alone, hosts_.Alone(rdma));
  hosts_.Say("TCP alone, " + way);
  RR_ASSIGN_OR_RETURN(answer.run.tcp_alone, hosts_.Alone(tcp));
  hosts_.Say("RDMA and TCP at once, " + way);
  RR_ASSIGN_OR_RETURN(std::vector<StressFlow> both, hosts_.Together({rdma, tcp}));
  answer.run.rdma = std::move(both[0]);
  answer.run.tcp = std::move(both[1]);
  return answer;
}

}  // namespace rdmaready
