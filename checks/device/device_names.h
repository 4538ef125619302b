// SPDX-License-Identifier: Apache-2.0
// Lists of RDMA devices in configuration, beside the devices that the host has.
#pragma once

#include "checks/check.h"

namespace rdmaready {

// inv.name-stability.
Verdict JudgeDeviceNames(const HostView& view);

}  // namespace rdmaready
