// SPDX-License-Identifier: Apache-2.0
// Connects once, by hand: tells "refused" from "no answer" from "no route" in the kernel's words, which
// gRPC folds into one.
#pragma once

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

// A connected, non-blocking socket. `target` as in ResolvedAddress. kUnavailable or kDeadlineExceeded with
// "connect to 127.0.0.1:7471: Connection refused".
absl::StatusOr<UniqueFd> ConnectTcp(const std::string& target, std::chrono::steady_clock::time_point deadline);

// The same, and hangs up.
absl::Status ProbeTcp(const std::string& target, std::chrono::steady_clock::time_point deadline);

// Why nobody can listen there, after that has failed: kUnavailable with the kernel's word, "Address already in
// use". OK: one could.
absl::Status ProbeListen(const std::string& target);

// Waits until `events` (POLLIN, POLLOUT) can happen. False at the deadline.
bool WaitFor(int fd, short events, std::chrono::steady_clock::time_point deadline);

}  // namespace rdmaready
