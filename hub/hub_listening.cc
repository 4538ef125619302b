// SPDX-License-Identifier: Apache-2.0
// What the hub listens on for agents and for who asks, with which limits.
#include <grpc/grpc_security_constants.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/base/status.h"
#include "api/daemon/server_tls.h"
#include "hub/fleet/fleet_service.h"
#include "hub/hub.h"
#include "hub/ingest/ingest_service.h"

namespace rdmaready::hub {
namespace {

constexpr int kMostMessageBytes = 1024 * 1024;
constexpr std::size_t kMostMemoryBytes = std::size_t{2} * 1024 * 1024 * 1024;  // of gRPC's buffers
constexpr int kMostThreads = 64;
constexpr int kHandshakeMs = 20'000;  // of thousands at once, on few processors

int Ms(std::chrono::milliseconds time) { return static_cast<int>(time.count()); }

void SetHubLimits(const HubOptions& options, grpc::ServerBuilder& builder) {
  grpc::ResourceQuota quota("rdmaready-hub");
  quota.SetMaxThreads(kMostThreads).Resize(kMostMemoryBytes);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(kMostMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Ms(options.keepalive.ping));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Ms(options.keepalive.answer));
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             Ms(options.shortest_agent_ping));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 16);
}

}  // namespace

IngestOptions Hub::IngestSeams() const {
  IngestOptions ingest{.hub_name = options_.name,
                       .period = options_.period,
                       .most_streams = options_.most_agents,
                       .tls = judge_ != nullptr,
                       .clock = options_.clock,
                       .events = options_.events};
  if (judge_ != nullptr && judge_->HasLists()) {
    ingest.why_refused = [judge = judge_](const std::string& pem, const std::string& others) {
      return judge->WhyRefused(pem, others);
    };
  }
  if (admission_ == nullptr) return ingest;
  ingest.lists = [this] { return admission_->Lists(); };
  ingest.why_gone = [this](const std::string& host_id) {
    const std::optional<RevokedHost> revoked = admission_->RevokedOf(host_id);
    return revoked ? "this host was revoked: " + revoked->why : std::string();
  };
  return ingest;
}

absl::Status Hub::Listen() {
  const bool tls = judge_ != nullptr;
  ingest_ = std::make_unique<IngestService>(IngestSeams(), book_, *keeper_);
  if (admission_ != nullptr)
    lists_ = std::make_unique<ListTeller>(
        book_, [this] { return admission_->Lists()->pem.size(); }, ListPace{}, *options_.clock);
  FleetServiceOptions fleet{.hub_name = options_.name,
                            .keeps_changes = options_.keep_changes,
                            .clock = options_.clock,
                            .events = options_.events};
  fleet.admit = [this](const grpc::ServerContextBase& context, FleetAsk ask) {
    return gate_->Admit(context, ask);
  };
  fleet_ = std::make_unique<FleetService>(std::move(fleet), *options_.store, *view_, feed_, *trail_);
  CredentialsOfPlace credentials;
  if (tls) {
    RR_ASSIGN_OR_RETURN(credentials, MakeServerCredentials(options_.tls, judge_));
  }
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  SetHubLimits(options_, builder);
  SetReflection(builder, options_.reflection);
  builder.RegisterService(ingest_.get());
  builder.RegisterService(fleet_.get());
  RegisterAccess(builder);
  RR_ASSIGN_OR_RETURN(listening_, StartListening(builder, {.listen = options_.listen,
                                                           .credentials = grpc::InsecureServerCredentials(),
                                                           .tls = credentials,
                                                           .plain_anywhere = options_.insecure || tls,
                                                           .unacknowledged = options_.keepalive.answer,
                                                           .clock = options_.clock,
                                                           .events = options_.events,
                                                           .needs = "--tls-cert, --tls-key and --tls-ca"}));
  for (const char* service : {v1::Ingest::service_full_name(), v1::Fleet::service_full_name()})
    SetHealth(listening_.server.get(), service, true);
  return absl::OkStatus();
}

}  // namespace rdmaready::hub
