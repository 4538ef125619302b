// SPDX-License-Identifier: Apache-2.0
#include "checks/words/port_driver.h"

#include <algorithm>

namespace rdmaready {

Fact<std::string> DriverOf(const Facts& host, const Port& port) {
  // A bond may stand for the device: its members have the driver.
  const bool software = port.software && *port.software;
  const bool infiniband = port.transport && *port.transport == Transport::kInfiniBand;
  if (!software && !infiniband && !port.lowers && port.lowers.missing().kind != Missing::Kind::kUnsupported)
    return port.lowers.missing();
  if (!software && port.lowers && !port.lowers->empty() && !port.lowers->front().driver.empty())
    return port.lowers->front().driver;
  if (port.netdev && !port.netdev->driver.empty()) return port.netdev->driver;
  if (!port.pci) return port.pci.missing();
  if (!host.pci_devices) return host.pci_devices.missing();
  const auto found = std::ranges::find(*host.pci_devices, port.pci->address, &PciDevice::address);
  if (found != host.pci_devices->end() && !found->driver.empty()) return found->driver;
  return Missing{.kind = Missing::Kind::kFailed, .detail = port.pci->address + ": no driver is told"};
}

}  // namespace rdmaready
