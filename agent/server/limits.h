// SPDX-License-Identifier: Apache-2.0
// Limits: what callers may take from the agent, however many and however slow they are.
#pragma once

#include <chrono>

namespace grpc {
class ServerBuilder;
}

namespace rdmaready {

struct CallLimits {
  std::chrono::milliseconds first_message{10'000};  // until a peer test says what it is
  std::chrono::milliseconds stalled_write{30'000};  // a caller who does not read
  std::chrono::milliseconds peer_test{300'000};     // one end of one case; longer by what the settings allow
  std::chrono::seconds lldp{300};                 // listening for neighbours, which send each 30 s; and a watch
  std::chrono::milliseconds any_call{3'600'000};  // a check of many ports
};

// Within which the other end of a connection answers a ping, and its kernel takes what was sent.
inline constexpr std::chrono::milliseconds kKeepaliveAnswer{20'000};

// Sizes, streams, threads, handshakes, idle connections. What is over the limit on threads is
// answered RESOURCE_EXHAUSTED.
void SetLimits(grpc::ServerBuilder& builder);

}  // namespace rdmaready
