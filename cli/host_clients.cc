// SPDX-License-Identifier: Apache-2.0
#include "cli/host_clients.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "api/base/status.h"
#include "cli/fan_out.h"
#include "cli/hosts.h"

namespace rdmaready {
namespace {

HostClient OpenLocal(const ClientOptions& options, Interrupt& interrupt) {
  HostClient host;
  absl::StatusOr<std::unique_ptr<LocalAgent>> local = LocalAgent::Open(options);
  if (!local.ok()) {
    host.name = "localhost";
    host.error = "host localhost: " + Message(local.status());
    host.failure = ExitStatus::kOwnFailure;
    return host;
  }
  host.local = *std::move(local);
  host.agent = &host.local->client();
  host.name = host.agent->name();
  interrupt.Add([agent = host.local.get()] { agent->Cancel(); });
  return host;
}

HostClient OpenRemote(const HostAddress& address, const ClientOptions& options) {
  HostClient host{.name = address.text};
  absl::StatusOr<std::unique_ptr<AgentClient>> client = AgentClient::Connect(address, options);
  if (client.ok()) {
    host.remote = *std::move(client);
    host.agent = host.remote.get();
    return host;
  }
  host.failure = ConnectFailure(client.status());
  host.error = Message(client.status());
  if (!host.error.starts_with("host ")) host.error = "host " + address.text + ": " + host.error;
  return host;
}

// By what the names resolve to: found out before anybody is called.
absl::Status KnowApart(const std::vector<HostAddress>& hosts) {
  if (hosts.size() < 2) return absl::OkStatus();
  std::vector<std::vector<ResolvedAddress>> resolved(hosts.size());
  FanOut(hosts.size(), [&](std::size_t i) {
    // A name that does not resolve is reported by Connect.
    if (absl::StatusOr<std::vector<ResolvedAddress>> found = Resolve(hosts[i]); found.ok())
      resolved[i] = *std::move(found);
  });
  return CheckDistinct(hosts, resolved);
}

// By what the agents say of themselves: one host may have many addresses. The machine-id would not do, guests
// of one image share it.
absl::Status KnowAgentsApart(const std::vector<HostAddress>& hosts, const std::vector<HostClient>& clients) {
  std::vector<std::string> ids;
  for (const HostClient& client : clients) {
    ids.push_back(client.agent == nullptr ? std::string() : client.agent->version().instance_id);
  }
  return CheckDistinctAgents(hosts, ids);
}

}  // namespace

absl::StatusOr<std::vector<HostClient>> OpenClients(const std::vector<HostAddress>& hosts,
                                                    const ClientOptions& options, Interrupt& interrupt) {
  if (absl::Status apart = KnowApart(hosts); !apart.ok()) return apart;
  std::vector<HostClient> clients(hosts.empty() ? 1 : hosts.size());
  if (hosts.empty()) {
    clients[0] = OpenLocal(options, interrupt);
  } else {
    FanOut(hosts.size(), [&](std::size_t i) { clients[i] = OpenRemote(hosts[i], options); });
    if (absl::Status apart = KnowAgentsApart(hosts, clients); !apart.ok()) return apart;
  }
  return clients;
}

std::string CallerName() {
  char host[256] = {};
  if (::gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  const char* user = std::getenv("USER");
  const std::string who = user != nullptr && user[0] != '\0' ? user : "uid " + std::to_string(::geteuid());
  return who + "@" + host + " (pid " + std::to_string(::getpid()) + ")";
}

}  // namespace rdmaready
