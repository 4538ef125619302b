// SPDX-License-Identifier: Apache-2.0
// Exposition: what metrics tell, in Prometheus's text format 0.0.4. Pure: what is not in the state is not told.
//
// Every label value is one of a closed list, or names a port, a subject or a profile of this host. A port has
// at most 60 series (tests/unit/agent/metrics). agent/README.md has the families.
#pragma once

#include <cstdint>
#include <string>

#include "agent/metrics/agent_now.h"
#include "agent/metrics/book.h"
#include "api/metrics/own_cost.h"

namespace rdmaready::metrics {

inline constexpr std::uint16_t kMetricsPort = 7472;

std::string Exposition(const AgentNow& now, const Kept& kept, const OwnCost& cost);

}  // namespace rdmaready::metrics
