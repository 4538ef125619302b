// SPDX-License-Identifier: Apache-2.0
// rdmaready fleet past: what live tests of a fleet's hosts showed last, beside the days before.
#pragma once

#include "cli/command/fleet_verb.h"

namespace rdmaready {

FleetVerb DefineFleetPast(CLI::App& fleet, FleetOptions& options);

}  // namespace rdmaready
