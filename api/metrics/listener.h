// SPDX-License-Identifier: Apache-2.0
// A TCP socket that listens, and addresses as gRPC spells them.
#pragma once

#include <sys/socket.h>

#include <string>

#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready::metrics {

// `target` as in ResolvedAddress, numeric. kUnavailable with the kernel's word: "Address already in use".
absl::StatusOr<UniqueFd> ListenOn(const std::string& target);

// "127.0.0.1:7472", "[::1]:7472" of a socket that listens; empty when the kernel does not say.
std::string AddressOf(int fd);

// "ipv4:127.0.0.1:40112", "ipv6:[::1]:40112"; an IPv4 address in IPv6's clothes is the former.
std::string PeerText(const ::sockaddr* address);

}  // namespace rdmaready::metrics
