// SPDX-License-Identifier: Apache-2.0
// The door of an agent's metrics. HostedAgent is given it as a DoorMaker, so only a program that offers metrics
// links and loads the libraries of HTTP, of its TLS and of the text format.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "agent/metrics/agent_now.h"
#include "agent/metrics/book.h"
#include "api/metrics/door.h"

namespace rdmaready::metrics {

// Opens a door; `options` come without a page and a default port, and an empty `listen` means nowhere. `now`
// and `book` are asked on the door's thread for each scrape, and outlive the door. Null and errors: as of
// Door::Open.
using DoorMaker = std::function<absl::StatusOr<std::shared_ptr<const Door>>(
    DoorOptions options, std::function<AgentNow()> now, const Book& book)>;

// The DoorMaker of the daemon.
absl::StatusOr<std::shared_ptr<const Door>> OpenAgentDoor(DoorOptions options, std::function<AgentNow()> now,
                                                          const Book& book);

}  // namespace rdmaready::metrics
