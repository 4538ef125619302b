// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/listening.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <functional>
#include <utility>

#include "api/base/status.h"
#include "api/client/address.h"

namespace rdmaready {
namespace {

// Enough for 160 a second over 200 ms there and back, and each costs a server of gRPC's TLS some memory.
constexpr std::size_t kHandshakesAtOnce = 32;

absl::StatusOr<TcpListener> ListenerOf(const std::string& text, const ListenOptions& options) {
  RR_ASSIGN_OR_RETURN(const HostAddress address, ParseHostAddress(text, 0));
  if (!address.unix_path.empty())
    return absl::InvalidArgumentError("listen on " + text + ": not an address of the network");
  RR_ASSIGN_OR_RETURN(const std::vector<ResolvedAddress> resolved, Resolve(address));
  if (!resolved.front().loopback && !options.plain_anywhere) {
    return absl::FailedPreconditionError("listen on " + text + ": refusing plain text off loopback without " +
                                         options.needs + " (or --insecure)");
  }
  absl::StatusOr<TcpListener> listener = ListenTcp(resolved.front().target, options.unacknowledged);
  if (listener.ok()) return listener;
  return absl::Status(listener.status().code(), "listen on " + text + ": " + Message(listener.status()));
}

// Linking gRPC's reflection turns it on for every server of the process: here each says whether it has it.
class ReflectionOption final : public grpc::ServerBuilderOption {
 public:
  explicit ReflectionOption(bool on) : on_(on) {}
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    using Plugin = grpc::reflection::ProtoServerReflectionPlugin;
    std::erase_if(*plugins,
                  [](const auto& plugin) { return dynamic_cast<const Plugin*>(plugin.get()) != nullptr; });
    if (on_) plugins->push_back(std::make_unique<Plugin>());
  }

 private:
  const bool on_;
};

// Adds a place to the builder where connections are handed to the server; they are gRPC's from then on.
HandshakeQueue::Take Taker(grpc::ServerBuilder& builder, std::shared_ptr<grpc::ServerCredentials> credentials) {
  using Builder = grpc::ServerBuilder::experimental_type;
  return [acceptor = std::shared_ptr<grpc::experimental::ExternalConnectionAcceptor>(
              builder.experimental().AddExternalConnectionAcceptor(
                  Builder::ExternalConnectionType::FROM_FD, std::move(credentials)))](UniqueFd accepted) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = accepted.Release();
    acceptor->HandleNewConnection(&connection);
  };
}

}  // namespace

void SetReflection(grpc::ServerBuilder& builder, bool on) {
  builder.SetOption(std::make_unique<ReflectionOption>(on));
}

void SetHealth(grpc::Server* server, const std::string& service, bool serving) {
  grpc::HealthCheckServiceInterface* health = server ? server->GetHealthCheckService() : nullptr;
  if (health != nullptr) health->SetServingStatus(service, serving);
}

ProofOfLife ProofOfListening(const ListeningServer& server) {
  return {"callers are let in", [&server](std::chrono::milliseconds patience) -> absl::Status {
            const bool door = server.door == nullptr || server.door->Answers(patience / 2);
            if (door && (server.queue == nullptr || server.queue->Answers(patience / 2)))
              return absl::OkStatus();
            return absl::DeadlineExceededError("no answer");
          }};
}

ListeningServer::ListeningServer() = default;
ListeningServer::ListeningServer(ListeningServer&& other) noexcept = default;
ListeningServer& ListeningServer::operator=(ListeningServer&& other) noexcept = default;
ListeningServer::~ListeningServer() = default;

void ListeningServer::Shutdown(Clock::WallTime deadline) {
  if (door != nullptr) door->Close();
  queue.reset();
  if (server != nullptr) server->Shutdown(deadline);
}

absl::StatusOr<ListeningServer> StartListening(grpc::ServerBuilder& builder, const ListenOptions& options) {
  ListeningServer listening;
  std::vector<TcpListener> listeners;
  for (const std::string& text : options.listen) {
    RR_ASSIGN_OR_RETURN(TcpListener listener, ListenerOf(text, options));
    const std::string_view with_family = listener.address;
    listening.addresses.emplace_back(with_family.substr(with_family.find(':') + 1));
    listeners.push_back(std::move(listener));
  }
  const auto ends = std::make_shared<HandshakeEnds>(kHandshakesAtOnce);
  std::vector<HandshakeQueue::Take> takes;
  for (std::size_t place = 0; options.tls && place < ends->places(); ++place)
    takes.push_back(Taker(builder, options.tls([ends, place] { ends->Tell(place); })));
  if (!options.tls) takes.push_back(Taker(builder, options.credentials));
  listening.server = builder.BuildAndStart();
  if (listening.server == nullptr) return absl::InternalError("the gRPC server did not start");
  HandshakeQueue::Take take = takes.front();
  if (options.tls) {
    listening.queue = std::make_unique<HandshakeQueue>(HandshakeLimits{}, ends, std::move(takes),
                                                       options.events, *options.clock);
    if (!listening.queue->Works()) return absl::UnavailableError("listen: no descriptors are left");
    take = [queue = listening.queue.get()](UniqueFd accepted) { queue->Add(std::move(accepted)); };
  }
  listening.door =
      std::make_unique<TcpDoor>(std::move(listeners), std::move(take), options.events, *options.clock);
  return listening;
}

}  // namespace rdmaready
