// SPDX-License-Identifier: Apache-2.0
// Temperatures of a NIC and its transceiver, where the driver gives them to hwmon. The transceiver's own
// registers are left alone: reading its alarm flags clears them.
#pragma once

#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// `sysfs` is "/sys/class/net/X". kUnsupported when there is no sensor, or each says that there is no module in
// its cage; a sensor that could not be read for another reason makes the whole not known.
Fact<std::vector<Temperature>> ReadTemperatures(HostReader& host, const std::string& sysfs);

}  // namespace rdmaready
