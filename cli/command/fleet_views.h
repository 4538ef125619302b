// SPDX-License-Identifier: Apache-2.0
// rdmaready fleet status, hosts, findings, history, diff, baseline, watch: what a hub knows of its hosts.
#pragma once

#include <vector>

#include "cli/command/fleet_verb.h"

namespace rdmaready {

// `options` outlives `fleet`.
std::vector<FleetVerb> DefineFleetViews(CLI::App& fleet, FleetOptions& options);

}  // namespace rdmaready
