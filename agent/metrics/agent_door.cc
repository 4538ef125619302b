// SPDX-License-Identifier: Apache-2.0
#include "agent/metrics/agent_door.h"

#include <utility>

#include "agent/metrics/exposition.h"
#include "api/base/status.h"
#include "api/metrics/own_cost.h"

namespace rdmaready::metrics {

absl::StatusOr<std::shared_ptr<const Door>> OpenAgentDoor(DoorOptions options, std::function<AgentNow()> now,
                                                          const Book& book) {
  if (options.listen.empty()) options.listen = kNowhere;  // no TCP listener unless it is configured
  options.default_port = kMetricsPort;
  options.page = [now = std::move(now), &book] { return Exposition(now(), book.Now(), ReadOwnCost()); };
  RR_ASSIGN_OR_RETURN(std::unique_ptr<Door> door, Door::Open(std::move(options)));
  return std::shared_ptr<const Door>(std::move(door));
}

}  // namespace rdmaready::metrics
