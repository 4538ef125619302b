// SPDX-License-Identifier: Apache-2.0
#include "checks/words/port_driver.h"

#include <algorithm>
#include <string_view>

#include "api/model/rdma_drivers.h"

namespace rdmaready {
namespace {

// The driver of a function that has RDMA and no interface: that of its port is another function's, as erdma's
// is one of virtio_net (erdma_enum_and_get_netdev in drivers/infiniband/hw/erdma/erdma_main.c). Empty: the
// function has another driver, or it is not known.
std::string_view OwnDriver(const Facts& host, const Port& port) {
  if (!port.pci || !host.pci_devices) return {};
  const auto found = std::ranges::find(*host.pci_devices, port.pci->address, &PciDevice::address);
  if (found == host.pci_devices->end()) return {};
  const RdmaDriver* const row = RdmaDriverOf(*found);
  return row != nullptr && row->driver == row->module ? row->driver : std::string_view();
}

}  // namespace

Fact<std::string> DriverOf(const Facts& host, const Port& port) {
  if (const std::string_view own = OwnDriver(host, port); !own.empty()) return std::string(own);
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
