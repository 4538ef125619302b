// SPDX-License-Identifier: Apache-2.0
// HelpedProver: the agent's side of rdmaready-prover.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/probe/prover.h"

namespace rdmaready::helper {

// Asks the prover at DIRECTORY/prover.sock. Where it is not there, nothing is allowed, and the words say how to
// have it. `leftover` hears a line for each connection that a dead proof had left and this one took down; may be
// empty.
std::shared_ptr<Prover> HelpedProver(const std::string& directory,
                                     std::function<void(const std::string& line)> leftover);

}  // namespace rdmaready::helper
