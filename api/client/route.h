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
};

std::shared_ptr<grpc::Channel> OpenChannel(const Route& route);

// Why gRPC found nobody at an address where somebody listens; `otherwise` when that is not to be found out.
// `who` is meant to be there: "the agent".
absl::Status WhyNobody(const Route& route, absl::Status otherwise,
                       std::chrono::steady_clock::time_point deadline, const std::string& who = "the agent");

}  // namespace rdmaready
