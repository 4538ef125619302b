// SPDX-License-Identifier: Apache-2.0
// What rdmaready-applier can be asked: see order.h.
#pragma once

#include <vector>

#include "agent/apply/configurer.h"
#include "agent/helper/verb.h"

namespace rdmaready::helper {

// What each does, `configurer` does; it outlives them.
std::vector<Verb> ApplierVerbs(Configurer& configurer);

}  // namespace rdmaready::helper
