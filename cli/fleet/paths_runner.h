// SPDX-License-Identifier: Apache-2.0
// PathsRunner: the same transfer on every path from one host to another: each alone, all at once, and each
// alone again (api/model/paths.h).
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/agent_client.h"
#include "api/model/paths.h"
#include "api/model/profile.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/stress_hosts.h"
#include "cli/fleet/stress_pairs.h"

namespace rdmaready {

struct PathsPlan {
  std::string case_name{};
  TransferOptions how{};
};

class PathsRunner {
 public:
  // `hosts` are two and connected: from the first to the second. Both outlive it.
  PathsRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
              AgentClient::Progress progress);

  // Asks both hosts and chooses the paths; nothing is sent. A port is on one path at most. Errors: a host could
  // not be asked; they have no path (kFailedPrecondition), or nobody could say (kUnknown). The text names the
  // host.
  absl::Status Prepare(const PathsPlan& plan);

  // After Prepare() of that plan. Blocks until all transfers are over. One that failed is a part of the answer.
  // Errors: a host refused one, or went away; not all transfers were connected. The text names the host.
  absl::StatusOr<PathsRun> Run(const PathsPlan& plan) const;

 private:
  absl::Status Alone(const PathsPlan& plan, StressFlow TestedPath::*when, PathsRun& run) const;
  absl::Status Together(const PathsPlan& plan, PathsRun& run) const;

  StressHosts hosts_;
  const Profile& profile_;
  std::vector<StressPair> pairs_{};  // of the paths, in their order
  PathsRun known_{};                 // before any transfer
};

}  // namespace rdmaready
