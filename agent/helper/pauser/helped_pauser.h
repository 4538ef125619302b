// SPDX-License-Identifier: Apache-2.0
// The agent's side of rdmaready-pauser.
#pragma once

#include <memory>
#include <string>

#include "agent/helper/pauser/pauser.h"

namespace rdmaready::helper {

// `directory` holds the helpers' sockets. Each call has a connection of its own; `stop` closes it, which ends
// the pause, and the bursts until then are the answer.
std::shared_ptr<Pauser> HelpedPauser(const std::string& directory);

}  // namespace rdmaready::helper
