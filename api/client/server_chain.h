// SPDX-License-Identifier: Apache-2.0
// What a server shows of itself to who trusts nobody yet.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/certificate.h"

namespace rdmaready {

// The certificates that it shows in a TLS handshake, its own first. NOTHING of them is verified, and nothing is
// said to the server but a greeting: whoever answers there may have made them up. `target` as in
// ResolvedAddress. Errors of ConnectTcp; kUnavailable: no TLS there.
absl::StatusOr<std::vector<Certificate>> UnverifiedChainOf(const std::string& target,
                                                           std::chrono::steady_clock::time_point deadline);

}  // namespace rdmaready
