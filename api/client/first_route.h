// SPDX-License-Identifier: Apache-2.0
// FirstRoute: the first address of a server at which somebody can be talked to.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "api/client/address.h"
#include "api/client/client_options.h"
#include "api/client/route.h"

namespace rdmaready {

// Goes through the addresses that `address` has until `talk` succeeds at one, all within
// `options.connect_timeout`: one that swallows packets leaves time for the next. Returns the last error, which
// begins with `name` ("host storage1") unless it is of `talk`. kFailedPrecondition: plain text would leave this
// host, and `options` do not allow that. Blocks.
using RouteTalk =
    std::function<absl::Status(const Route& route, std::chrono::steady_clock::time_point deadline)>;
absl::Status FirstRoute(const HostAddress& address, const std::string& name, const ClientOptions& options,
                        const RouteTalk& talk);

}  // namespace rdmaready
