// SPDX-License-Identifier: Apache-2.0
// Interruption: the cost of a fix for a port that carries storage. The user must know it before typing it.
#pragma once

#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "checks/fact_ref.h"
#include "checks/words/fix.h"

namespace rdmaready {

// The caution of a command that changes which priorities are paused; empty where the driver just does it.
std::string CostOfPfc(NetdevRef netdev);

// The same for one that adds a row of DSCP.
std::string CostOfDscpRow(NetdevRef netdev);

// Takes the interface down and up again.
Fix Bounce(std::string_view netdev_word, std::string_view why);

// The same, and names the IPv6 addresses that the kernel removes with the link.
Fix Bounce(NetdevRef netdev, std::string_view why);

}  // namespace rdmaready
