// SPDX-License-Identifier: Apache-2.0
// Route: one way to one server, and why nobody was found at its end.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "api/client/tls.h"

namespace grpc {
class Channel;
}

namespace rdmaready {

struct Route {
  std::string target{};              // for gRPC, numeric
  const TlsMaterial* tls = nullptr;  // null: plain text
  std::string certificate_name{};
  std::string tls_places{};  // ClientOptions'
};

// Behind the options of TLS that an error names.
inline constexpr char kOrHeldElsewhere[] = "RDMAREADY_TLS_* or `rdmaready context set` may hold them";

std::shared_ptr<grpc::Channel> OpenChannel(const Route& route);

// Waits until the channel is connected. An end that refuses for good ends the wait: TLS where plain text was
// spoken, a certificate that is not trusted. kUnavailable, with that reason.
absl::Status AwaitConnected(const Route& route, grpc::Channel& channel,
                            std::chrono::steady_clock::time_point deadline, const std::string& who);

// Why gRPC found nobody at an address where somebody listens; `otherwise` when that is not to be found out.
// `who` is meant to be there: "the agent".
absl::Status WhyNobody(const Route& route, absl::Status otherwise,
                       std::chrono::steady_clock::time_point deadline, const std::string& who = "the agent");

}  // namespace rdmaready
