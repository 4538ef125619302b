// SPDX-License-Identifier: Apache-2.0
#include "checks/spare.h"

#include <algorithm>

#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"

namespace rdmaready {
namespace {

constexpr std::uint8_t kPhysicalLinkUp = 5;  // enum ib_port_phys_state

// By the port's state: that of its IPoIB interfaces follows it. One that somebody brought up on a virtual
// function waits for its link.
bool IsIdleInfiniBand(const Port& port) {
  const bool down =
      port.state && *port.state == PortState::kDown && port.phys_state && *port.phys_state != kPhysicalLinkUp;
  if (!down || !port.uppers || !AddressesKnown(port) || !AddressesOf(port).empty()) return false;
  return !IsVirtualFunction(port) || std::ranges::none_of(*port.uppers, &UpperNetdev::admin_up);
}

bool IsIdle(const Port& port) {
  if (IsInfiniBand(port)) return IsIdleInfiniBand(port);
  return port.netdev && !port.netdev->carrier && port.uppers && port.uppers->empty() && AddressesKnown(port) &&
         AddressesOf(port).empty();
}

// InfiniBand is used without an address too.
bool Carries(const Port& port) {
  const bool active = port.state && *port.state == PortState::kActive;
  if (IsInfiniBand(port)) return active;
  return active && port.netdev && port.netdev->admin_up && port.netdev->carrier && !AddressesOf(port).empty();
}

}  // namespace

bool IsSpare(const Facts& host, const Port& port, const Profile& profile) {
  if (!host.ports || !IsIdle(port)) return false;
  unsigned missing = std::max<unsigned>(1, profile.min_ports.value_or(1));
  return std::ranges::any_of(*host.ports,
                             [&missing](const Port& one) { return Carries(one) && --missing == 0; });
}

bool NeverHadLink(const Port& port) {
  if (!IsInfiniBand(port))
    return port.netdev && port.netdev->carrier_changes && *port.netdev->carrier_changes <= 1;
  if (!port.port_counters) return false;
  const auto downed = std::ranges::find(*port.port_counters, "link_downed", &Counter::name);
  return downed != port.port_counters->end() && downed->value == 0;
}

}  // namespace rdmaready
