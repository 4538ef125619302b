// SPDX-License-Identifier: Apache-2.0
// Connects once, by hand: tells "refused" from "no answer" from "no route" in the kernel's words, which
// gRPC folds into one.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

// As the kernel takes it.
struct SocketAddress {
  ::sockaddr_storage storage{};
  ::socklen_t size = 0;
};

// "ipv4:127.0.0.1:7471", "ipv6:[fe80::1%2]:7471". kInvalidArgument.
absl::StatusOr<SocketAddress> ParseIpTarget(const std::string& target);

// A connected, non-blocking socket. `target` as in ResolvedAddress. kUnavailable or kDeadlineExceeded with
// "connect to 127.0.0.1:7471: Connection refused". `deadline`, as of all below, is RealClock()'s: the kernel
// waits.
absl::StatusOr<UniqueFd> ConnectTcp(const std::string& target, std::chrono::steady_clock::time_point deadline);

// The same, and hangs up.
absl::Status ProbeTcp(const std::string& target, std::chrono::steady_clock::time_point deadline);

// Waits until `events` (POLLIN, POLLOUT) can happen. False at the deadline.
bool WaitFor(int fd, short events, std::chrono::steady_clock::time_point deadline);

}  // namespace rdmaready
