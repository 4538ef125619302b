// SPDX-License-Identifier: Apache-2.0
#include "agent/server/limits.h"

#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>

namespace rdmaready {
namespace {

constexpr int kMaxRequestBytes = 256 << 10;  // a profile is the largest thing a caller sends
constexpr int kMaxThreads = 64;              // calls at a time, of all callers
constexpr int kMaxStreams = 32;              // of one connection
constexpr int kHandshakeMs = 3'000;  // who has not shown a certificate by then keeps no file descriptor of ours
constexpr int kIdleMs = 300'000;
constexpr int kMostAgeMs =
    3'600'000;  // of a connection: ends also a caller who answers pings and reads nothing
constexpr int kMostAgeGraceMs = 3'600'000;  // as long as the longest call
constexpr int kKeepaliveMs = 60'000;

}  // namespace

void SetLimits(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
  builder.SetResourceQuota(grpc::ResourceQuota("rdmaready").SetMaxThreads(kMaxThreads));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreams);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kIdleMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, kMostAgeMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, kMostAgeGraceMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, static_cast<int>(kKeepaliveAnswer.count()));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
}

}  // namespace rdmaready
