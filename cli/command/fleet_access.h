// SPDX-License-Identifier: Apache-2.0
// rdmaready fleet token, fleet revoke: who may join a fleet, and who is to leave it.
#pragma once

#include <vector>

#include "cli/command/fleet_verb.h"

namespace rdmaready {

std::vector<FleetVerb> DefineFleetAccess(CLI::App& fleet);

}  // namespace rdmaready
