// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/local_agent.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "agent/access/caller_sockets.h"
#include "agent/access/socket_file.h"
#include "agent/helper/applier/helped_applier.h"
#include "agent/helper/directory.h"
#include "agent/server/server.h"
#include "api/base/status.h"
#include "api/profile/load.h"

namespace rdmaready {
namespace {

constexpr auto kGrace = std::chrono::milliseconds(500);

std::string HostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 && name[0] != '\0' ? std::string(name)
                                                                       : std::string("localhost");
}

}  // namespace

// The agent is declared first: the client's channel must be gone before it.
struct LocalAgent::Parts {
  std::unique_ptr<HostedAgent> agent;
  std::unique_ptr<AgentClient> client;
};

absl::StatusOr<std::unique_ptr<AgentClient>> ConnectResident(const ClientOptions& options) {
  std::vector<access::TriedSocket> tried;
  for (const std::string& path : access::SocketsToTry()) tried.push_back(access::TrySocket(path));
  RR_ASSIGN_OR_RETURN(const std::string path, access::SocketToAsk(tried, access::ThisUser()));
  if (path.empty()) return nullptr;
  absl::StatusOr<std::unique_ptr<AgentClient>> client =
      AgentClient::Connect({.text = HostName(), .unix_path = path}, options);
  if (client.ok()) return client;
  return absl::Status(client.status().code(), fmt::format("{} (unix:{})", Message(client.status()), path));
}

absl::StatusOr<std::unique_ptr<AgentClient>> ConnectNamed(const HostAddress& address,
                                                          const ClientOptions& options) {
  if (!address.unix_path.empty()) {
    const access::TriedSocket tried = access::TrySocket(address.unix_path);
    if (tried.state == access::SocketState::kRefused)
      return access::SocketToAsk({tried}, access::ThisUser()).status();
  }
  return AgentClient::Connect(address, options);
}

std::string StateDirectory(const char* xdg_state_home, const char* home) {
  if (xdg_state_home != nullptr && xdg_state_home[0] == '/') return std::string(xdg_state_home) + "/rdmaready";
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.local/state/rdmaready";
  return {};
}

LocalAgent::LocalAgent(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

LocalAgent::~LocalAgent() {
  parts_->client.reset();
  parts_->agent->Shutdown(kGrace);
}

absl::StatusOr<std::unique_ptr<LocalAgent>> LocalAgent::Open(const ClientOptions& options) {
  auto parts = std::make_unique<Parts>();
  RR_ASSIGN_OR_RETURN(Profile profile, LoadProfile(std::string(kDefaultProfileName)));
  ServerOptions server;
  server.default_profiles.push_back(std::move(profile));
  server.state_directory = StateDirectory(std::getenv("XDG_STATE_HOME"), std::getenv("HOME"));
  server.refuse_broken_store = false;
  // It listens nowhere: who asks it for a proof is who started it, and his own rights are all it has.
  server.allow_proofs = true;
  server.allow_in_production = true;
  // The applier answers root, and the user of the service.
  if (::geteuid() == 0) server.configurer = helper::HelpedConfigurer(std::string(helper::kHelpersDirectory));
  server.store.hold = false;  // two commands of one user may run beside each other
  RR_ASSIGN_OR_RETURN(std::unique_ptr<HostedAgent> agent, HostedAgent::Start(std::move(server)));
  parts->agent = std::move(agent);
  parts->client = std::make_unique<AgentClient>(HostName(), parts->agent->InProcessChannel(), options);
  return std::unique_ptr<LocalAgent>(new LocalAgent(std::move(parts)));
}

AgentClient& LocalAgent::client() { return *parts_->client; }

void LocalAgent::Cancel() { parts_->agent->Shutdown(kGrace); }

}  // namespace rdmaready
