// SPDX-License-Identifier: Apache-2.0
// HostClients: a connection to each host of a command, or why there is none.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/address.h"
#include "api/client/agent_client.h"
#include "cli/exit_status.h"
#include "cli/fleet/local_agent.h"
#include "cli/interrupt.h"

namespace rdmaready {

struct HostClient {
  std::string name{};            // as the caller named it
  AgentClient* agent = nullptr;  // null: not connected yet, or see error
  std::string error{};
  ExitStatus failure = ExitStatus::kOk;
  bool lasting = false;  // waiting does not change that failure: MayPass()
  bool twin = false;     // it is another host of the command by another name: the error names both

  std::unique_ptr<LocalAgent> local{};
  std::unique_ptr<AgentClient> remote{};
  std::function<void(HostClient&)> connect{};    // empty: there is nothing left to connect
  std::function<void(HostClient&)> connected{};  // `connect`, after it was used

  // Connects, unless that was done; afterwards there is an agent or an error. Blocks for as long as the host
  // may take.
  void Open();

  // Lets the next Open() connect once more: after an error, and where `gone`, since the agent went away. An
  // agent in this process stays.
  void Reopen(bool gone);
};

// In the order of `hosts`, none of them connected, so that each can be where its answer is wanted and a silent
// one holds up nobody; without hosts the one of this host. An agent in this process is stopped at Ctrl-C. One
// agent is never asked by two names: the second name gets the error. Open() of several may run at once.
std::vector<HostClient> NameClients(const std::vector<HostAddress>& hosts, const ClientOptions& options,
                                    Interrupt& interrupt);

// kInvalidArgument with one clear line when two of them turned out to be one agent.
absl::Status CheckNoTwins(const std::vector<HostClient>& hosts);

// Whether both are known to be reached and to be one agent.
bool IsSameAgent(const HostClient& a, const HostClient& b);

// kInvalidArgument, naming the host, when credentials for it would go over the network in plain text. Before
// any host is asked: a name that leads to loopback and elsewhere is refused, one that leads nowhere is not.
absl::Status CheckPrivate(const std::vector<HostAddress>& hosts, const ClientOptions& options);

// NameClients, all connected in parallel. Errors of CheckNoTwins.
absl::StatusOr<std::vector<HostClient>> OpenClients(const std::vector<HostAddress>& hosts,
                                                    const ClientOptions& options, Interrupt& interrupt);

// "root@build1 (pid 7)": who asks, shown to a caller that finds the port busy.
std::string CallerName();

}  // namespace rdmaready
