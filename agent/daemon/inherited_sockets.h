// SPDX-License-Identifier: Apache-2.0
// The local sockets that the service manager made. Only the daemon links its library: the command line's own
// agent has no such sockets, and starts in less time without it.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "agent/access/local_door.h"

namespace rdmaready::access {

// The sockets that systemd listens on for us, by their names: observe, test, prove, apply. Empty: it does on
// none. kInvalidArgument: another name, or no listening unix socket. Call once, before there are threads.
absl::StatusOr<std::vector<DoorSocket>> InheritedSockets();

}  // namespace rdmaready::access
