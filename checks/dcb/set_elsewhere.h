// SPDX-License-Identifier: Apache-2.0
// Ports whose data centre bridging this host cannot set, and who does instead.
#pragma once

#include <string>

#include "checks/check.h"

namespace rdmaready {

// "set elsewhere: ...", of an interface without dcbnl whose kind is known to have it set by somebody else;
// empty for every other.
std::string DcbSetElsewhere(const EthernetView& view);

// Why the host's data centre bridging does not concern the port: NotRoce, or it is set elsewhere and the
// profile says that it is (dcb_set_by), or it is set at another port that is judged. Empty when it does.
std::string NotSetHere(const EthernetView& view);

}  // namespace rdmaready
