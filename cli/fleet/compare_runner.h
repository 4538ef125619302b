// SPDX-License-Identifier: Apache-2.0
// CompareRunner: the same cases over RDMA and over TCP, in turns, from one host to another
// (api/model/compare.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/agent_client.h"
#include "api/model/compare.h"
#include "api/model/profile.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/stress_hosts.h"
#include "cli/fleet/stress_pairs.h"

namespace rdmaready {

struct ComparePlan {
  StressPortChoice ports{};
  std::vector<std::string> cases{};
  TransferOptions rdma{};
  TransferOptions tcp{};
  std::uint32_t rounds = 1;  // of four transfers: RDMA, TCP, TCP, RDMA
};

class CompareRunner {
 public:
  // `hosts` are two and connected: from the first to the second. Both outlive it.
  CompareRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
                AgentClient::Progress progress);

  // Asks both hosts and chooses the ports; nothing is sent. Errors: a host could not be asked, or has no such
  // port (kNotFound); they have no path (kFailedPrecondition), or nobody could say (kUnknown). The text names
  // the host.
  absl::Status Prepare(const ComparePlan& plan);

  // After Prepare() of that plan. Blocks until all transfers are over. One that failed is a part of the answer.
  // Errors: a host refused one, or went away. The text names the host.
  absl::StatusOr<CompareRun> Run(const ComparePlan& plan) const;

 private:
  absl::StatusOr<CompareCase> RunCase(const ComparePlan& plan, const std::string& case_name) const;

  StressHosts hosts_;
  const Profile& profile_;
  StressPair pair_{};
  CompareRun known_{};  // before any transfer
};

}  // namespace rdmaready
