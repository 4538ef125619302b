// SPDX-License-Identifier: Apache-2.0
#include "agent/server.h"

#include <fmt/format.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <sys/stat.h>

#include <cstdlib>
#include <mutex>
#include <random>
#include <utility>

#include "agent/helper/prover/helped_prover.h"
#include "agent/limits.h"
#include "agent/link/verbs_link.h"
#include "agent/own_check.h"
#include "agent/store/sqlite_store.h"
#include "agent/tls.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/client/address.h"
#include "api/client/tcp_probe.h"

namespace rdmaready {
namespace {

constexpr char kStoreHealth[] = "rdmaready.store";
constexpr ::mode_t kOwnerOnly = 0177;  // as a umask

absl::StatusOr<std::unique_ptr<Store>> OpenStore(const ServerOptions& options) {
  StoreOptions store_options = options.store;
  store_options.directory = options.state_directory;
  store_options.log = [events = options.events](const std::string& line) {
    Tell(events, EventLevel::kError, "store", {{"reason", line}});
  };
  auto store = std::make_unique<SqliteStore>(store_options);
  if (!options.refuse_broken_store) return store;
  const absl::Status opened = store->Open();
  // A disk that is full now has room later: the host is answered for all the same.
  if (absl::IsResourceExhausted(opened)) {
    store_options.log("working without memory until there is room: " + Message(opened));
    return store;
  }
  // Our own failure, whatever SQLite calls it.
  if (!opened.ok()) return absl::InternalError(Message(opened));
  return store;
}

// Without a folder nobody is asked.
std::shared_ptr<Prover> ProverOf(const ServerOptions& options) {
  if (options.helpers_directory.empty()) return nullptr;
  return helper::HelpedProver(options.helpers_directory, [events = options.events](const std::string& line) {
    Tell(events, EventLevel::kWarning, "prover", {{"reason", line}});
  });
}

struct Listener {
  std::string target{};   // as gRPC's listener takes it
  std::string address{};  // as gRPC's channels take it
  bool unix_socket = false;
};

absl::StatusOr<Listener> ListenOn(const std::string& text, bool plain_anywhere) {
  RR_ASSIGN_OR_RETURN(const HostAddress address, ParseHostAddress(text, 0));
  RR_ASSIGN_OR_RETURN(const std::vector<ResolvedAddress> resolved, Resolve(address));
  if (!resolved.front().loopback && !plain_anywhere) {
    return absl::FailedPreconditionError("listen on " + text +
                                         ": refusing plain text off loopback without --tls-cert, --tls-key and "
                                         "--tls-ca (or --insecure)");
  }
  // gRPC's listener takes "unix:/path", but a bare "127.0.0.1:0" and "[::1]:0".
  const std::string& target = resolved.front().target;
  if (!address.unix_path.empty()) return Listener{target, target, true};
  return Listener{target.substr(target.find(':') + 1), target, false};
}

// A unix socket has the rights that the umask leaves: its owner's alone.
std::unique_ptr<grpc::Server> BuildAndStart(grpc::ServerBuilder& builder) {
  const ::mode_t before = ::umask(kOwnerOnly);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ::umask(before);
  return server;
}

void OfferHealthAndReflection() {
  static std::once_flag once;
  std::call_once(once, [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  });
}

// "127.0.0.1:0" with the port that the kernel chose.
std::string Spell(const std::string& target, int port) {
  if (target.starts_with("unix:")) return target;
  return fmt::format("{}{}", target.substr(0, target.rfind(':') + 1), port);
}

}  // namespace

HostedAgent::HostedAgent(std::unique_ptr<Store> store, const ServerOptions& options)
    : store_(std::move(store)),
      agent_(host_, *store_, [](Role, std::uint32_t) { return std::make_unique<VerbsLink>(); },
             {.version = kVersion,
              .default_profiles = options.default_profiles,
              .lock_directory = {},
              .instance_id = MakeInstanceId(),
              .events = options.events,
              .allow_proofs = options.allow_proofs,
              .prover = ProverOf(options),
              .transfer = options.transfer,
              .trust = {.files = options.tls, .roles_file = options.roles},
              .peers = options.peers,
              .on_stored = [this](const absl::Status& stored) { ReportStore(stored); }}),
      service_(agent_, options.limits) {}

std::string LocalSocketPath() {
  const char* path = std::getenv("RDMAREADY_SOCKET");
  return path != nullptr && path[0] == '/' ? path : "/run/rdmaready/agent.sock";
}

absl::StatusOr<std::unique_ptr<HostedAgent>> HostedAgent::Start(const ServerOptions& options) {
  RR_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, OpenStore(options));
  std::unique_ptr<HostedAgent> agent(new HostedAgent(std::move(store), options));
  RR_RETURN_IF_ERROR(agent->Listen(options));
  if (options.check_interval.count() > 0) {
    Agent& checked = agent->agent_;  // outlives the schedule, which is its sibling and younger
    agent->schedule_ =
        std::make_unique<Schedule>(options.check_interval, std::random_device()(), RealClock(),
                                   [&checked, events = options.events](const std::stop_token& stop) {
                                     CheckByItself(checked, events, stop);
                                   });
  }
  return agent;
}

absl::Status HostedAgent::Listen(const ServerOptions& options) {
  std::shared_ptr<grpc::ServerCredentials> tcp = grpc::InsecureServerCredentials();
  if (options.tls.Any()) {
    RR_ASSIGN_OR_RETURN(tcp, MakeServerCredentials(options.tls, options.events));
  }
  if (!options.listen.empty()) OfferHealthAndReflection();
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two agents on one port must not share it silently
  SetLimits(builder);
  std::vector<Listener> listeners;
  std::vector<int> ports(options.listen.size(), 0);
  for (std::size_t i = 0; i < options.listen.size(); ++i) {
    RR_ASSIGN_OR_RETURN(Listener listener, ListenOn(options.listen[i], options.insecure || options.tls.Any()));
    builder.AddListeningPort(listener.target, listener.unix_socket ? grpc::InsecureServerCredentials() : tcp,
                             &ports[i]);
    listeners.push_back(std::move(listener));
  }
  builder.RegisterService(&service_);
  server_ = BuildAndStart(builder);
  for (std::size_t i = 0; i < listeners.size(); ++i) {
    if (server_ == nullptr || ports[i] == 0) {
      const absl::Status why = ProbeListen(listeners[i].address);
      if (why.ok() && server_ == nullptr) continue;  // another one is the trouble
      return absl::UnavailableError("listen on " + options.listen[i] + ": " +
                                    (why.ok() ? "refused by gRPC" : Message(why)));
    }
    addresses_.push_back(Spell(listeners[i].target, ports[i]));
  }
  if (server_ == nullptr) return absl::InternalError("the gRPC server did not start");
  if (grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService(); health != nullptr) {
    health->SetServingStatus(v1::Agent::service_full_name(), true);
  }
  ReportStore(absl::OkStatus());
  return absl::OkStatus();
}

void HostedAgent::ReportStore(const absl::Status& stored) {
  grpc::HealthCheckServiceInterface* health = server_ ? server_->GetHealthCheckService() : nullptr;
  if (health != nullptr) health->SetServingStatus(kStoreHealth, stored.ok());
}

std::shared_ptr<grpc::Channel> HostedAgent::InProcessChannel() {
  return server_->InProcessChannel(grpc::ChannelArguments());
}

void HostedAgent::Shutdown(std::chrono::milliseconds grace) {
  agent_.StopReading();
  schedule_.reset();
  server_->Shutdown(std::chrono::system_clock::now() + grace);
}

}  // namespace rdmaready
