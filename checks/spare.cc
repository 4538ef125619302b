// SPDX-License-Identifier: Apache-2.0
#include "checks/spare.h"

#include <algorithm>

#include "checks/words/addresses.h"

namespace rdmaready {
namespace {

bool IsIdle(const Port& port) {
  return port.netdev && !port.netdev->carrier && port.uppers && port.uppers->empty() && AddressesKnown(port) &&
         AddressesOf(port).empty();
}

bool Carries(const Port& port) {
  return port.state && *port.state == PortState::kActive && port.netdev && port.netdev->admin_up &&
         port.netdev->carrier && !AddressesOf(port).empty();
}

}  // namespace

bool IsSpare(const Facts& host, const Port& port, const Profile& profile) {
  if (!host.ports || !IsIdle(port)) return false;
  unsigned missing = std::max<unsigned>(1, profile.min_ports.value_or(1));
  return std::ranges::any_of(*host.ports,
                             [&missing](const Port& one) { return Carries(one) && --missing == 0; });
}

}  // namespace rdmaready
