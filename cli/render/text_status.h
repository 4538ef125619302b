// SPDX-License-Identifier: Apache-2.0
// The open changes and failures of hosts, for people. Pure.
#pragma once

#include <string>

#include "cli/fleet/host_status.h"
#include "cli/style.h"

namespace rdmaready {

// A short block for each host, those that need a person first, with the commands that settle what is open.
std::string StatusText(const StatusRun& run, const Style& style);

}  // namespace rdmaready
