// SPDX-License-Identifier: Apache-2.0
// AddressFix: how a port gets an IP address.
#pragma once

#include "checks/check.h"
#include "checks/words/fix.h"

namespace rdmaready {

Fix AddressFix();

// On a host with a network manager that has the interface: first in its configuration.
Fix AddressFix(const PortView& view);

}  // namespace rdmaready
