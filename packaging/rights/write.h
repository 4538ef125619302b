// SPDX-License-Identifier: Apache-2.0
// The rights table (api/model/rights.h) in the words of those who enforce it, and of those who read it.
#pragma once

#include <string>

#include "api/model/rights.h"

namespace rdmaready {

// Lines of a unit's section [Service]: CapabilityBoundingSet=, AmbientCapabilities=, User=, NoNewPrivileges=.
std::string UnitLines(Daemon daemon);

// Lines inside of an AppArmor profile: one rule for each capability; none for the agent.
std::string AppArmorLines(Daemon daemon);

// Arguments of setpriv(1), on one line: what a program is started with where no systemd does it. They set no
// user.
std::string SetprivArguments(Daemon daemon);

// A line for each row, tabs between its columns: feature, daemon, capability ("root" where it is the owner of a
// file), asked, without, kernel.
std::string RightsTsv();

// packaging/RIGHTS.md.
std::string RightsPage();

}  // namespace rdmaready
