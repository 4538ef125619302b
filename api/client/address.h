// SPDX-License-Identifier: Apache-2.0
// HOST as a person types it: name-or-address[:port], [v6]:port, or unix:/path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready {

inline constexpr std::uint16_t kDefaultAgentPort = 7471;

struct HostAddress {
  std::string text{};  // as typed: how the host is named in every output
  std::string host{};  // empty for a unix socket
  std::uint16_t port = kDefaultAgentPort;
  std::string unix_path{};
};

// kInvalidArgument with one clear line when it makes no sense. A listener may have port 0: any free one.
absl::StatusOr<HostAddress> ParseHostAddress(std::string_view text, std::uint16_t lowest_port = 1);

struct ResolvedAddress {
  std::string target{};   // for gRPC: "ipv4:127.0.0.1:7471", "ipv6:[::1]:7471", "unix:/run/..."
  bool loopback = false;  // 127.0.0.0/8, ::1 or a unix socket: plain text is fine there
};

// All addresses of the host, numeric, in the system's order. kNotFound when the name does not resolve.
absl::StatusOr<std::vector<ResolvedAddress>> Resolve(const HostAddress& address);

// What the certificate of the host must carry: the name as typed; for an address its usual spelling, without
// port and zone.
std::string CertificateName(const HostAddress& address, const ResolvedAddress& resolved);

}  // namespace rdmaready
