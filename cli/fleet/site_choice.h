// SPDX-License-Identifier: Apache-2.0
// The profiles that a person names for the hosts of a command.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/profile/load.h"
#include "api/profile/site.h"
#include "cli/fleet/hosts.h"

namespace rdmaready {

// LoadSite, and CheckWaivers of it.
absl::StatusOr<Site> ChooseSite(std::span<const std::string> names);

// kInvalidArgument in one line: a waiver is for an id that no check has. The agent's own waivers are not looked
// at: of those the finding host.waivers warns.
absl::Status CheckWaivers(const Site& site);
absl::Status CheckWaivers(std::span<const HostOrigin> origins);

// The same as faults of the file that was read, each with its line.
void AddWaiverFaults(ProfileReading& reading);

}  // namespace rdmaready
