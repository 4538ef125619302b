// SPDX-License-Identifier: Apache-2.0
// rdmaready fleet token, fleet revoke: who may join a fleet, and who is to leave it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "api/client/fleet_client.h"
#include "cli/commands.h"

namespace rdmaready {

struct AccessVerb {
  CLI::App* app = nullptr;
  std::function<ExitStatus(const Context&, FleetClient&)> work{};
};

std::vector<AccessVerb> DefineAccess(CLI::App& fleet);

}  // namespace rdmaready
