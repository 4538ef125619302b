// SPDX-License-Identifier: Apache-2.0
// Objects of the good host, and hosts of several drivers.
#pragma once

#include <string>
#include <string_view>

#include "api/model/setting.h"
#include "checks/setting/table.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {

inline SettingObject OfDcb0(SettingKind kind, std::string name = {}) {
  return {.kind = kind, .where = "dcb0", .name = std::move(name)};
}

// The good host as if dcb0 were a NIC of that driver.
inline Facts OfDriver(std::string_view driver) {
  return WithPort([driver](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.driver = driver;
    port.netdev = netdev;
    port.software = false;
  });
}

template <class Change>
Facts OfDriver(std::string_view driver, Change change) {
  Facts host = OfDriver(driver);
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  change(netdev);
  ports.front().netdev = netdev;
  host.ports = ports;
  return host;
}

}  // namespace rdmaready
