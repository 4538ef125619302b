// SPDX-License-Identifier: Apache-2.0
// The agent of this host, for commands that name none: the one that listens on local sockets, else one in
// this process with a store of its own. The only file of the command line that knows the agent.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "api/client/address.h"
#include "api/client/agent_client.h"

namespace rdmaready {

// "/home/x/.local/state/rdmaready": $XDG_STATE_HOME, else ~/.local/state. Empty when there is neither.
std::string StateDirectory(const char* xdg_state_home, const char* home);

// The agent that listens on local sockets, by the one with the highest role that lets this user in; null where
// there is no such socket. Errors are those of AgentClient::Connect and of access::SocketToAsk: a host that has
// an agent is judged by it or not at all. Another agent, in this process, would have another store and other
// rights, and it would answer users that the host's own agent refuses.
absl::StatusOr<std::unique_ptr<AgentClient>> ConnectResident(const ClientOptions& options);

// AgentClient::Connect. For a local socket that refuses this user the error is that of access::SocketToAsk.
absl::StatusOr<std::unique_ptr<AgentClient>> ConnectNamed(const HostAddress& address,
                                                          const ClientOptions& options);

// An agent in this process.
class LocalAgent {
 public:
  // Errors are our own failure, never "not reachable". A store that cannot be opened is none: each result
  // says so.
  static absl::StatusOr<std::unique_ptr<LocalAgent>> Open(const ClientOptions& options);
  LocalAgent(const LocalAgent&) = delete;
  LocalAgent& operator=(const LocalAgent&) = delete;
  ~LocalAgent();

  AgentClient& client();

  // Ends running calls: their tests end as cancelled and let go of their ports. From any thread.
  void Cancel();

 private:
  struct Parts;
  explicit LocalAgent(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace rdmaready
