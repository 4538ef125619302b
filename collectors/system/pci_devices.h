// SPDX-License-Identifier: Apache-2.0
// The network adapters and GPUs on the PCI bus, with or without a driver: /sys/bus/pci/devices.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// By address. A function that goes away while it is read is left out.
Fact<std::vector<PciDevice>> ReadPciDevices(HostReader& host);

}  // namespace rdmaready
