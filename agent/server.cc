// SPDX-License-Identifier: Apache-2.0
#include "agent/server.h"

#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <utility>

#include "agent/store/sqlite_store.h"
#include "agent/transfer/verbs_link.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/client/address.h"

namespace rdmaready {
namespace {

constexpr int kMaxRequestBytes = 256 << 10;
constexpr int kMaxThreads = 64;

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const ServerOptions& options) {
  StoreOptions store_options = options.store;
  store_options.directory = options.state_directory;
  auto store = std::make_unique<SqliteStore>(std::move(store_options));
  if (!options.refuse_broken_store) return store;
  const absl::Status opened = store->Open();
  // A disk that is full now has room later: the host is answered for all the same.
  if (absl::IsResourceExhausted(opened)) {
    if (options.store.log) options.store.log("working without memory until there is room: " + Message(opened));
    return store;
  }
  // Our own failure, whatever SQLite calls it.
  if (!opened.ok()) return absl::InternalError(Message(opened));
  return store;
}

absl::StatusOr<std::string> ListenTarget(const std::string& text, bool insecure) {
  const absl::StatusOr<HostAddress> address = ParseHostAddress(text, 0);
  if (!address.ok()) return address.status();
  const absl::StatusOr<std::vector<ResolvedAddress>> resolved = Resolve(*address);
  if (!resolved.ok()) return resolved.status();
  if (!resolved->front().loopback && !insecure) {
    return absl::FailedPreconditionError("listen on " + text +
                                         ": refusing plain text off loopback without --insecure");
  }
  // gRPC's listener takes "unix:/path", but a bare "127.0.0.1:0" and "[::1]:0".
  const std::string& target = resolved->front().target;
  return address->unix_path.empty() ? target.substr(target.find(':') + 1) : target;
}

// "127.0.0.1:0" with the port that the kernel chose.
std::string Spell(const std::string& target, int port) {
  if (target.starts_with("unix:")) return target;
  return target.substr(0, target.rfind(':') + 1) + std::to_string(port);
}

}  // namespace

HostedAgent::HostedAgent(std::unique_ptr<Store> store, const ServerOptions& options)
    : store_(std::move(store)),
      agent_(host_, *store_, [] { return std::make_unique<VerbsLink>(); },
             {.version = kVersion, .default_profile = options.default_profile, .lock_directory = {}}),
      service_(agent_) {}

std::string LocalSocketPath() {
  const char* path = std::getenv("RDMAREADY_SOCKET");
  return path != nullptr && path[0] == '/' ? path : "/run/rdmaready/agent.sock";
}

absl::StatusOr<std::unique_ptr<HostedAgent>> HostedAgent::Start(const ServerOptions& options) {
  absl::StatusOr<std::unique_ptr<Store>> store = OpenStore(options);
  if (!store.ok()) return store.status();
  std::unique_ptr<HostedAgent> agent(new HostedAgent(*std::move(store), options));
  RR_RETURN_IF_ERROR(agent->Listen(options));
  return agent;
}

absl::Status HostedAgent::Listen(const ServerOptions& options) {
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two agents on one port must not share it silently
  std::vector<std::string> targets;
  std::vector<int> ports(options.listen.size(), 0);
  for (std::size_t i = 0; i < options.listen.size(); ++i) {
    const absl::StatusOr<std::string> target = ListenTarget(options.listen[i], options.insecure);
    if (!target.ok()) return target.status();
    targets.push_back(*target);
    builder.AddListeningPort(*target, grpc::InsecureServerCredentials(), &ports[i]);
  }
  // Requests are small and callers few; more is not use but abuse.
  builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
  builder.SetResourceQuota(grpc::ResourceQuota("rdmaready").SetMaxThreads(kMaxThreads));
  builder.RegisterService(&service_);
  server_ = builder.BuildAndStart();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (server_ == nullptr || ports[i] == 0) {
      return absl::UnavailableError("listen on " + options.listen[i] +
                                    ": the address is in use or not of this host");
    }
    addresses_.push_back(Spell(targets[i], ports[i]));
  }
  if (server_ == nullptr) return absl::InternalError("the gRPC server did not start");
  return absl::OkStatus();
}

std::shared_ptr<grpc::Channel> HostedAgent::InProcessChannel() {
  return server_->InProcessChannel(grpc::ChannelArguments());
}

void HostedAgent::Shutdown(std::chrono::milliseconds grace) {
  server_->Shutdown(std::chrono::system_clock::now() + grace);
}

}  // namespace rdmaready
