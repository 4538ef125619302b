// SPDX-License-Identifier: Apache-2.0
// IncastRunner: the victim alone, twice, then several senders and the victim at once (api/model/incast.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/agent_client.h"
#include "api/model/facts.h"
#include "api/model/incast.h"
#include "api/model/profile.h"
#include "cli/fleet/host_clients.h"
#include "cli/fleet/incast_pairs.h"

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
  // What became of a transfer. `status`: an agent refused it or went away.
  struct Made {
    IncastFlow flow{};
    absl::Status status = absl::OkStatus();
  };

  absl::Status ReadHosts();
  // One transfer. `at_start`: see PeerTest.
  Made Transfer(const IncastPair& pair, const std::string& case_name, const TransferOptions& how,
                const std::function<bool()>& at_start) const;
  absl::StatusOr<IncastFlow> Alone(const IncastPair& victim, const IncastPlan& plan) const;
  absl::Status Together(const IncastPlan& plan, IncastRun& run) const;

  const std::vector<HostClient>& hosts_;
  const Profile& profile_;
  const std::string run_id_;
  const std::string caller_;
  const AgentClient::Progress progress_;
  std::vector<Facts> facts_{};  // of each host
  IncastPairs pairs_{};
};

}  // namespace rdmaready
