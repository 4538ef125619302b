// SPDX-License-Identifier: Apache-2.0
// Repairs of what two hosts on one wire have wrong: the commands name the interfaces of the host that types
// them.
#pragma once

#include "checks/check.h"
#include "checks/fleet/between.h"

namespace rdmaready {

// Moves the address of `odd` to the VLAN that the address of `other` is on, or off every VLAN. Both addresses
// are given.
Fix VlanFix(const DifferingEnd& odd, const DifferingEnd& other);

// One address on two hosts, which is the address of both ends: one of them gives it up. That is the second
// host, unless only the first one has another address in that subnet.
Verdict AddressTwice(const DifferingSide& first, const DifferingSide& second);

}  // namespace rdmaready
