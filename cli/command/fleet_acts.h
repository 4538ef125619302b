// SPDX-License-Identifier: Apache-2.0
// rdmaready fleet ack, audit, maintenance: what an operator does, and what was done.
#pragma once

#include <vector>

#include "cli/command/fleet_verb.h"

namespace rdmaready {

// `options` outlives `fleet`.
std::vector<FleetVerb> DefineFleetActs(CLI::App& fleet, FleetOptions& options);

}  // namespace rdmaready
