// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/host_clients.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "api/base/status.h"
#include "cli/fleet/fan_out.h"
#include "cli/fleet/hosts.h"

namespace rdmaready {
namespace {

// What Ctrl-C stops. The hook is there before the agent is: hooks that are added later run before it.
class LocalStop {
 public:
  void Set(LocalAgent* agent) {
    const std::lock_guard lock(mutex_);
    agent_ = agent;
  }
  void Cancel() {
    const std::lock_guard lock(mutex_);
    if (agent_ != nullptr) agent_->Cancel();
  }

 private:
  std::mutex mutex_;
  LocalAgent* agent_ = nullptr;
};

void TakeRemote(HostClient& host, absl::StatusOr<std::unique_ptr<AgentClient>> client) {
  if (client.ok()) {
    host.remote = *std::move(client);
    host.agent = host.remote.get();
    return;
  }
  host.failure = ConnectFailure(client.status());
  host.lasting = !MayPass(client.status());
  host.error = Message(client.status());
  if (!host.error.starts_with("host ")) host.error = "host " + host.name + ": " + host.error;
}

void OpenLocal(HostClient& host, const ClientOptions& options, LocalStop& stop) {
  absl::StatusOr<std::unique_ptr<AgentClient>> resident = ConnectResident(options);
  if (!resident.ok() || *resident != nullptr) {
    TakeRemote(host, std::move(resident));
    if (host.agent != nullptr) host.name = host.agent->name();
    return;
  }
  absl::StatusOr<std::unique_ptr<LocalAgent>> local = LocalAgent::Open(options);
  if (!local.ok()) {
    host.error = "host " + host.name + ": " + Message(local.status());
    host.failure = ExitStatus::kOwnFailure;
    return;
  }
  host.local = *std::move(local);
  host.agent = &host.local->client();
  host.name = host.agent->name();
  stop.Set(host.local.get());
}

// Who is who among the hosts of a command, as far as they are known: a host says what it resolves to before it
// is called, and what its agent says of itself after. One host may have many addresses; the machine-id would
// not do, guests of one image share it.
class Roll {
 public:
  explicit Roll(const std::vector<HostAddress>& hosts) : hosts_(hosts), resolved_(hosts.size()) {}

  const HostAddress& host(std::size_t index) const { return hosts_[index]; }

  absl::Status Resolved(std::size_t index) {
    absl::StatusOr<std::vector<ResolvedAddress>> found = Resolve(hosts_[index]);
    if (!found.ok()) return absl::OkStatus();  // reported by Connect
    const std::lock_guard lock(mutex_);
    resolved_[index] = *std::move(found);
    for (const ResolvedAddress& address : resolved_[index]) {
      const std::size_t owner = targets_.emplace(address.target, index).first->second;
      if (owner == index || !apart_.ok()) continue;
      const auto [first, second] = std::minmax(owner, index);
      apart_ = CheckDistinct(std::array{hosts_[first], hosts_[second]},
                             std::array{resolved_[first], resolved_[second]});
    }
    return apart_;
  }

  absl::Status Answered(std::size_t index, const std::string& instance_id) {
    const std::lock_guard lock(mutex_);
    if (instance_id.empty()) return apart_;
    const std::size_t owner = ids_.emplace(instance_id, index).first->second;
    if (owner == index || !apart_.ok()) return apart_;
    const auto [first, second] = std::minmax(owner, index);
    apart_ =
        CheckDistinctAgents(std::array{hosts_[first], hosts_[second]}, std::array{instance_id, instance_id});
    return apart_;
  }

 private:
  const std::vector<HostAddress> hosts_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::vector<ResolvedAddress>> resolved_;
  std::map<std::string, std::size_t> targets_{};  // whose each is
  std::map<std::string, std::size_t> ids_{};
  absl::Status apart_{};  // once two are one, there is nothing to ask of anybody
};

void CallTwin(HostClient& host, const absl::Status& why) {
  host.twin = true;
  host.lasting = true;
  host.agent = nullptr;
  host.error = Message(why);
  host.failure = ExitStatus::kUsage;
}

void OpenOneOf(Roll& roll, std::size_t index, const ClientOptions& options, HostClient& host) {
  if (const absl::Status apart = roll.Resolved(index); !apart.ok()) return CallTwin(host, apart);
  TakeRemote(host, ConnectNamed(roll.host(index), options));
  if (host.agent == nullptr) return;
  const absl::Status apart = roll.Answered(index, host.agent->version().instance_id);
  if (!apart.ok()) CallTwin(host, apart);
}

}  // namespace

void HostClient::Open() {
  if (!connect) return;
  connected = std::exchange(connect, nullptr);
  connected(*this);
}

void HostClient::Reopen(bool gone) {
  if (!connected || twin || local != nullptr || (agent != nullptr && !gone)) return;
  agent = nullptr;
  remote.reset();
  error.clear();
  failure = ExitStatus::kOk;
  lasting = false;
  connect = connected;
}

std::vector<HostClient> NameClients(const std::vector<HostAddress>& hosts, const ClientOptions& options,
                                    Interrupt& interrupt) {
  std::vector<HostClient> clients;
  if (hosts.empty()) {
    const auto stop = std::make_shared<LocalStop>();
    interrupt.AddStop([stop] { stop->Cancel(); });
    clients.push_back(
        {.name = "localhost", .connect = [=](HostClient& host) { OpenLocal(host, options, *stop); }});
    return clients;
  }
  const auto roll = std::make_shared<Roll>(hosts);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    clients.push_back(
        {.name = hosts[i].text, .connect = [=](HostClient& host) { OpenOneOf(*roll, i, options, host); }});
  }
  return clients;
}

absl::Status CheckNoTwins(const std::vector<HostClient>& hosts) {
  const auto twin = std::ranges::find(hosts, true, &HostClient::twin);
  return twin == hosts.end() ? absl::OkStatus() : absl::InvalidArgumentError(twin->error);
}

bool IsSameAgent(const HostClient& a, const HostClient& b) {
  if (a.agent == nullptr || b.agent == nullptr) return false;
  const std::string& id = a.agent->version().instance_id;
  return !id.empty() && id == b.agent->version().instance_id;
}

absl::Status CheckPrivate(const std::vector<HostAddress>& hosts, const ClientOptions& options) {
  if (options.tls != nullptr) return absl::OkStatus();
  std::vector<absl::Status> found(hosts.size());
  FanOut(hosts.size(), [&](std::size_t i) {
    // Without --insecure nobody speaks plain text to the network at all, and each host says so. Who listens on
    // a local socket is found out before it is told anything.
    const absl::StatusOr<std::vector<ResolvedAddress>> resolved = Resolve(hosts[i]);
    const auto plain = [&options](const ResolvedAddress& address) {
      return !address.target.starts_with("unix:") && (address.loopback || options.insecure);
    };
    if (resolved.ok() && std::ranges::any_of(*resolved, plain))
      found[i] = CredentialsNeedPrivacy(hosts[i].text);
  });
  const auto first = std::ranges::find_if(found, [](const absl::Status& status) { return !status.ok(); });
  return first == found.end() ? absl::OkStatus() : *first;
}

absl::StatusOr<std::vector<HostClient>> OpenClients(const std::vector<HostAddress>& hosts,
                                                    const ClientOptions& options, Interrupt& interrupt) {
  std::vector<HostClient> clients = NameClients(hosts, options, interrupt);
  FanOut(clients.size(), [&](std::size_t i) { clients[i].Open(); });
  if (absl::Status apart = CheckNoTwins(clients); !apart.ok()) return apart;
  return clients;
}

std::string CallerName() {
  char host[256] = {};
  if (::gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  const char* user = std::getenv("USER");
  const std::string who = user != nullptr && user[0] != '\0' ? user : fmt::format("uid {}", ::geteuid());
  return fmt::format("{}@{} (pid {})", who, host, ::getpid());
}

}  // namespace rdmaready
