// SPDX-License-Identifier: Apache-2.0
// Connects once and hangs up: tells "refused" from "no answer" from "no route" in the kernel's words, which
// gRPC folds into one.
#pragma once

#include <chrono>
#include <string>

#include "absl/status/status.h"

namespace rdmaready {

// `target` as in ResolvedAddress. kUnavailable or kDeadlineExceeded with "connect to 127.0.0.1:7471: Connection
// refused".
absl::Status ProbeTcp(const std::string& target, std::chrono::steady_clock::time_point deadline);

}  // namespace rdmaready
