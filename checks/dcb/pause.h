// SPDX-License-Identifier: Apache-2.0
// Link-level pause: the command that switches it off.
#pragma once

#include <string>

#include "api/model/facts.h"
#include "checks/fact_ref.h"

namespace rdmaready {

// The pause autonegotiation that the driver shows is its link's own, and it refuses any other.
bool PauseFollowsLink(NetdevRef netdev);

// It off, as far as the driver lets the host decide.
Pause PauseOff(NetdevRef netdev, const Pause& now);

// "ethtool -A eth0 autoneg off rx off tx off", in the form that the netdev's driver accepts.
std::string PauseOffFix(NetdevRef netdev);

}  // namespace rdmaready
