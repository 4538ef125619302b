// SPDX-License-Identifier: Apache-2.0
// AddressFix: how a port gets an IP address.
#pragma once

#include <string>

#include "api/model/facts.h"
#include "api/model/netdev.h"
#include "checks/check.h"
#include "checks/words/fix.h"

namespace rdmaready {

Fix AddressFix();

// On a host with a network manager that has the interface: first in its configuration.
Fix AddressFix(const PortView& view);

// The command that takes an address from one interface and gives it to another one.
std::string MoveAddress(const IpAddress& ip, const std::string& from, const std::string& to);

// Whether the host may be managed by the interface: it has the default route, or which one has it is not known.
bool LeadsByDefault(const Facts& host, const std::string& netdev);

// A caution for a command that takes an address from such an interface.
std::string DefaultRouteGoes(const std::string& netdev);

}  // namespace rdmaready
