// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/listening.h"

#include <fmt/format.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/impl/server_builder_option.h>

#include <utility>

#include "api/base/status.h"
#include "api/client/address.h"
#include "api/client/tcp_probe.h"

namespace rdmaready {
namespace {

struct Listener {
  std::string target{};   // as gRPC's listener takes it
  std::string address{};  // as gRPC's channels take it
};

absl::StatusOr<Listener> ListenerOf(const std::string& text, const ListenOptions& options) {
  RR_ASSIGN_OR_RETURN(const HostAddress address, ParseHostAddress(text, 0));
  RR_ASSIGN_OR_RETURN(const std::vector<ResolvedAddress> resolved, Resolve(address));
  if (!resolved.front().loopback && !options.plain_anywhere) {
    return absl::FailedPreconditionError("listen on " + text + ": refusing plain text off loopback without " +
                                         options.needs + " (or --insecure)");
  }
  // gRPC's listener takes a bare "127.0.0.1:0" and "[::1]:0".
  const std::string& target = resolved.front().target;
  return Listener{target.substr(target.find(':') + 1), target};
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

// "127.0.0.1:0" with the port that the kernel chose.
std::string Spell(const std::string& target, int port) {
  return fmt::format("{}{}", target.substr(0, target.rfind(':') + 1), port);
}

}  // namespace

void SetReflection(grpc::ServerBuilder& builder, bool on) {
  builder.SetOption(std::make_unique<ReflectionOption>(on));
}

void SetHealth(grpc::Server* server, const std::string& service, bool serving) {
  grpc::HealthCheckServiceInterface* health = server ? server->GetHealthCheckService() : nullptr;
  if (health != nullptr) health->SetServingStatus(service, serving);
}

absl::StatusOr<ListeningServer> StartListening(grpc::ServerBuilder& builder, const ListenOptions& options) {
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT,
                             0);  // two servers on one port must not share it silently
  std::vector<Listener> listeners;
  std::vector<int> ports(options.listen.size(), 0);
  for (std::size_t i = 0; i < options.listen.size(); ++i) {
    RR_ASSIGN_OR_RETURN(Listener listener, ListenerOf(options.listen[i], options));
    builder.AddListeningPort(listener.target, options.credentials, &ports[i]);
    listeners.push_back(std::move(listener));
  }
  ListeningServer listening{.server = builder.BuildAndStart()};
  for (std::size_t i = 0; i < listeners.size(); ++i) {
    if (listening.server == nullptr || ports[i] == 0) {
      const absl::Status why = ProbeListen(listeners[i].address);
      if (why.ok() && listening.server == nullptr) continue;  // another one is the trouble
      return absl::UnavailableError("listen on " + options.listen[i] + ": " +
                                    (why.ok() ? "refused by gRPC" : Message(why)));
    }
    listening.addresses.push_back(Spell(listeners[i].target, ports[i]));
  }
  if (listening.server == nullptr) return absl::InternalError("the gRPC server did not start");
  return listening;
}

}  // namespace rdmaready
