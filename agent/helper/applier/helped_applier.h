// SPDX-License-Identifier: Apache-2.0
// HelpedConfigurer: the agent's side of rdmaready-applier.
#pragma once

#include <memory>
#include <string>

#include "agent/apply/configurer.h"

namespace rdmaready::helper {

// Asks the applier at DIRECTORY/applier.sock, each time afresh: an applier that was ended by force is asked
// again as soon as it is back. Where it is not there, kUnavailable, and the words say how to have it. An Apply
// whose applier is lost on the way is kUnavailable, too: what became of the change is in Status().
std::shared_ptr<Configurer> HelpedConfigurer(const std::string& directory);

}  // namespace rdmaready::helper
