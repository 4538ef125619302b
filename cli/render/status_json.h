// SPDX-License-Identifier: Apache-2.0
// The open changes and failures of hosts as a JSON object (packaging/schemas). Pure.
#pragma once

#include <string>

#include "cli/fleet/host_status.h"

namespace rdmaready {

std::string StatusJson(const StatusRun& run);

}  // namespace rdmaready
