// SPDX-License-Identifier: Apache-2.0
// Link-level pause: the command that switches it off.
#pragma once

#include <string>

#include "api/model/facts.h"

namespace rdmaready {

// The pause autonegotiation that the driver shows is its link's own, and it refuses any other.
bool PauseFollowsLink(const Fact<Netdev>& netdev);

// "ethtool -A eth0 autoneg off rx off tx off", in the form that the netdev's driver accepts.
std::string PauseOffFix(const Fact<Netdev>& netdev);

}  // namespace rdmaready
