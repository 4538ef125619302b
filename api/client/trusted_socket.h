// SPDX-License-Identifier: Apache-2.0
// A local socket at whose other end is somebody who may hear a secret.
#pragma once

#include <chrono>
#include <string>

#include "absl/status/statusor.h"
#include "api/base/handle.h"

namespace rdmaready {

// A connected, non-blocking socket, if root listens there or this user does. The kernel says who called
// listen(2): for a socket that systemd passes to an agent without rights, that is root. kInvalidArgument:
// somebody else. Errors of ConnectTcp.
absl::StatusOr<UniqueFd> ConnectTrusted(const std::string& path,
                                        std::chrono::steady_clock::time_point deadline);

}  // namespace rdmaready
