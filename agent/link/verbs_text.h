// SPDX-License-Identifier: Apache-2.0
// GIDs and words of the connection manager and of verbs.
#pragma once

#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "agent/link/link.h"
#include "agent/link/socket_address.h"

namespace rdmaready {

// The GID of RoCE v2 of an address that ParseAddress made: itself, or an IPv4 one mapped.
ibv_gid GidOf(const sockaddr_storage& address);

// Reads the text that GidText makes; kSetup where it is not an IPv6 address.
absl::StatusOr<ibv_gid> ParseGid(const std::string& text);

// "::ffff:10.0.0.1", as an IPv6 address is written; empty for all zeros.
std::string GidText(const ibv_gid& gid);

// "reason 28: consumer defined", or the errno's words when `status` is negative (iWARP).
std::string RejectText(int status);

// "Connection timed out" for -110; "no reason given" for 0.
std::string EventStatusText(int status);

// "send", "receive", "RDMA write", "RDMA read".
std::string_view WorkName(Work work);

}  // namespace rdmaready
