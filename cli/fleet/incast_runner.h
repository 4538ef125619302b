// SPDX-License-Identifier: Apache-2.0
// IncastRunner: the victim alone, twice, then several senders and the victim at once (api/model/incast.h).
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/agent_client.h"
#include "api/model/incast.h"
#include "api/model/profile.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/incast_pairs.h"
#include "cli/fleet/stress_hosts.h"

namespace rdmaready {

class IncastRunner {
 public:
  // `hosts` are connected. Both outlive it.
  IncastRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
               AgentClient::Progress progress);

  // Asks all hosts and chooses the ports; nothing is sent. Errors: a host could not be asked, or takes no part
  // in stress tests (kPermissionDenied); those of ChooseIncastPairs. The text names the host.
  absl::Status Prepare(const IncastPlan& plan);

  // After Prepare() of that plan. Blocks until all transfers are over. A transfer that failed after all were
  // connected is a part of the answer, also where its agent went away. Errors: a host refused; not all
  // transfers were connected. The text names the host.
  absl::StatusOr<IncastRun> Run(const IncastPlan& plan);

 private:
  absl::StatusOr<StressFlow> Alone(const StressPair& victim, const IncastPlan& plan) const;
  absl::Status Together(const IncastPlan& plan, IncastRun& run) const;

  StressHosts hosts_;
  const Profile& profile_;
  IncastPairs pairs_{};
};

}  // namespace rdmaready
