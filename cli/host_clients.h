// SPDX-License-Identifier: Apache-2.0
// HostClients: a connection to each host of a command, or why there is none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/address.h"
#include "api/client/agent_client.h"
#include "cli/exit_status.h"
#include "cli/interrupt.h"
#include "cli/local_agent.h"

namespace rdmaready {

struct HostClient {
  std::string name{};            // as the caller named it
  AgentClient* agent = nullptr;  // null: see error
  std::string error{};
  ExitStatus failure = ExitStatus::kOk;

  std::unique_ptr<LocalAgent> local{};
  std::unique_ptr<AgentClient> remote{};
};

// In the order of `hosts`, connected in parallel; without hosts the one of this host. An agent in this process
// is stopped at Ctrl-C. kInvalidArgument with one clear line when two names stand for one agent.
absl::StatusOr<std::vector<HostClient>> OpenClients(const std::vector<HostAddress>& hosts,
                                                    const ClientOptions& options, Interrupt& interrupt);

// "root@build1 (pid 7)": who asks, shown to whoever finds a port busy.
std::string CallerName();

}  // namespace rdmaready
