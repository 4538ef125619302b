// SPDX-License-Identifier: Apache-2.0
// Numeric Internet addresses, as sockets and the connection manager take them.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace rdmaready {

// Parses a numeric address ("10.0.0.1", "fe80::1%eth0"). kSetup where the text is another one.
absl::StatusOr<sockaddr_storage> ParseAddress(const std::string& address, std::uint16_t port);

// Without the port; "?" where it is not an Internet address.
std::string AddressText(const sockaddr* address);

}  // namespace rdmaready
