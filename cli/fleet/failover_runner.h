// SPDX-License-Identifier: Apache-2.0
// FailoverRunner: numbered writes over all paths from one host to another, while a path is cut and comes back
// (api/model/failover.h). A path that is lost is connected again as soon as possible.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/agent_client.h"
#include "api/model/failover.h"
#include "api/model/profile.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/start_barrier.h"
#include "cli/fleet/stress_hosts.h"
#include "cli/fleet/stress_pairs.h"

namespace rdmaready {

struct FailoverPlan {
  std::string case_name{};
  TransferOptions how{};  // of numbered writes; `duration` is not zero
  // Cuts a path, and says how that ended. Called kBeforeCut after all paths began; empty: somebody else cuts.
  std::function<absl::Status()> cut{};
  std::vector<std::string> command{};  // the arguments of `cut`
};

// All paths write for so long before one is cut.
inline constexpr std::chrono::milliseconds kBeforeCut{2'000};

class FailoverRunner {
 public:
  // `hosts` are two and connected: from the first to the second. Both outlive it.
  FailoverRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
                 AgentClient::Progress progress);

  // Asks both hosts and chooses the paths; nothing is sent. Errors: those of ChoosePaths; there is one path
  // (kFailedPrecondition); an agent is of an older version.
  absl::Status Prepare(const FailoverPlan& plan);

  // After Prepare() of that plan. Blocks until the run is over. A path that is lost is a part of the answer.
  // Errors: not all paths were connected at the start; a host refused one then. The text names the host.
  absl::StatusOr<FailoverRun> Run(const FailoverPlan& plan) const;

 private:
  using When = std::chrono::steady_clock::time_point;

  // The threads of a run share it.
  struct Shared {
    explicit Shared(std::size_t parties) : barrier(parties) {}
    StartBarrier barrier;
    std::atomic<When> begun{};
    std::atomic<bool> over = false;  // a path ended in order: all writes are done
  };

  absl::Status Keep(const FailoverPlan& plan, const StressPair& pair, Shared& shared, FailoverPath& path) const;
  // Empty: both agents are those of the start.
  std::string AgentGone() const;
  void Cut(const FailoverPlan& plan, Shared& shared, CutProgram& cut) const;

  StressHosts hosts_;
  const std::vector<HostClient>& clients_;
  std::vector<std::string> instances_{};  // AgentVersion::instance_id at the start
  const Profile& profile_;
  std::vector<StressPair> pairs_{};  // of the paths, in their order
  FailoverRun known_{};              // before any transfer
};

}  // namespace rdmaready
