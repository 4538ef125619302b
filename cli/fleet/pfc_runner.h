// SPDX-License-Identifier: Apache-2.0
// PfcRunner: two transfers at once from the judged host, and pauses of one of them by the other host
// (api/model/pfc_run.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/agent_calls.h"
#include "api/client/agent_client.h"
#include "api/model/facts.h"
#include "api/model/pfc_run.h"
#include "api/model/profile.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/stress_hosts.h"
#include "cli/fleet/stress_pairs.h"

namespace rdmaready {

struct PfcPlan {
  StressPortChoice ports{};  // of the host that pauses, and of the judged one
  std::string case_name{};
  TransferOptions how{};        // of both transfers, without mark, duration and intervals
  std::uint32_t priority = 0;   // that is paused
  std::uint8_t tos = 0;         // of the paused transfer
  std::uint8_t beside_tos = 0;  // of the other one
  std::chrono::milliseconds burst{100};
  std::uint32_t bursts = 5;
  std::chrono::seconds listen{31};  // for LLDP, where the profile does not say that the link is direct
};

class PfcRunner {
 public:
  // `hosts` are two and connected: the first pauses, the second is judged. They and `profile` outlive it.
  PfcRunner(const std::vector<HostClient>& hosts, const Profile& profile, std::string run_id,
            AgentClient::Progress progress);

  // Asks both hosts and chooses the ports; nothing is sent. Errors: a host could not be asked, or takes no part
  // in stress tests (kPermissionDenied), or has no such port (kNotFound); they have no path
  // (kFailedPrecondition), or nobody could say (kUnknown); the NIC of the first drops its pauses
  // (api/model/pause_filters.h), or it is not known that a cable joins them (both kUnknown).
  absl::Status Prepare(const PfcPlan& plan);

  // After Prepare() of that plan. Blocks until both transfers are over. Pauses that were refused, and a
  // transfer that failed after both were connected, are parts of the answer; where it failed before the pauses,
  // none is sent. Errors: a host refused; not both
  // transfers were connected. Nothing was paused then.
  absl::StatusOr<PfcRun> Run(const PfcPlan& plan) const;

 private:
  // The way of both transfers, and the ports at its ends.
  struct Chosen {
    StressPair pair{};
    Port pauser{};
    Port judged{};
  };

  // Uses the facts that were read last. Errors: see Prepare().
  absl::StatusOr<Chosen> Choose(const PfcPlan& plan) const;
  // The facts of the host after it listened for LLDP.
  absl::StatusOr<Facts> Listen(const HostClient& host, const PfcPlan& plan) const;
  // How it is known that a cable joins the two. kUnknown: it is not.
  absl::StatusOr<std::string> LinkOf(const Chosen& chosen) const;
  // Waits for the end of the control part, and has the pauses sent, unless a transfer is over by then.
  void Pause(const PfcPlan& plan, const std::atomic<bool>& is_over, PfcRun& run) const;

  const std::vector<HostClient>& clients_;
  StressHosts hosts_;
  const Profile& profile_;
  const std::string caller_;
  StressPair pair_{};
  std::string link_{};
};

}  // namespace rdmaready
