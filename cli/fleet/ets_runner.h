// SPDX-License-Identifier: Apache-2.0
// EtsRunner: RDMA alone, TCP alone, then both at once, from one host to another (api/model/ets.h).
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/agent_calls.h"
#include "api/client/agent_client.h"
#include "api/model/ets.h"
#include "api/model/facts.h"
#include "api/model/profile.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/stress_hosts.h"
#include "cli/fleet/stress_pairs.h"

namespace rdmaready {

struct EtsTestPlan {
  StressPortChoice ports{};
  std::string case_name{};  // of both
  TransferOptions rdma{};
  TransferOptions tcp{};
};

// The transfers, and the port that sent them.
struct EtsAnswer {
  EtsRun run{};
  Port sender{};
};

class EtsRunner {
 public:
  // `hosts` are two and connected: from the first to the second. Both outlive it.
  EtsRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
            AgentClient::Progress progress);

  // Asks both hosts and chooses the ports; nothing is sent. Errors: a host could not be asked, or takes no part
  // in stress tests (kPermissionDenied), or has no such port (kNotFound); they have no path
  // (kFailedPrecondition), or nobody could say (kUnknown). The text names the host.
  absl::Status Prepare(const EtsTestPlan& plan);

  // After Prepare() of that plan. Blocks until all transfers are over. A transfer alone that failed is a part
  // of the answer, and so is one that failed after both were connected. Errors: a host refused; not both
  // transfers were connected. The text names the host.
  absl::StatusOr<EtsAnswer> Run(const EtsTestPlan& plan) const;

 private:
  StressHosts hosts_;
  const Profile& profile_;
  StressPair pair_{};
  EtsAnswer known_{};  // before any transfer
};

}  // namespace rdmaready
