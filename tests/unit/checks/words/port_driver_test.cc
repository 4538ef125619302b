// SPDX-License-Identifier: Apache-2.0
#include "checks/words/port_driver.h"

#include <gtest/gtest.h>

#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

Facts OnFunction(const char* netdevs_driver, const char* functions_driver) {
  Facts host = On(netdevs_driver, [](Netdev&) {});
  std::vector<Port> ports = *host.ports;
  PciFunction pci;
  pci.address = "0000:00:06.0";
  ports.front().pci = pci;
  ports.front().software = false;
  host.ports = ports;
  host.pci_devices = std::vector<PciDevice>{{.address = "0000:00:06.0", .driver = functions_driver}};
  return host;
}

std::string DriverText(const Facts& host) { return *DriverOf(host, host.ports->front()); }

TEST(DriverOf, AsksTheFunctionWhereTheInterfaceIsAnotherOnes) {
  EXPECT_EQ(DriverText(OnFunction("virtio_net", "erdma")), "erdma");
  EXPECT_EQ(DriverText(OnFunction("ena", "efa")), "efa");
}

TEST(DriverOf, AsksTheInterfaceFirst) {
  EXPECT_EQ(DriverText(OnFunction("mlx4_en", "mlx4_core")), "mlx4_en");
  EXPECT_EQ(DriverText(OnFunction("ice", "ice")), "ice");
}

}  // namespace
}  // namespace rdmaready
