// SPDX-License-Identifier: Apache-2.0
// The remedy of software that names a GID by a number: which number of this port is right.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "checks/words/fix.h"

namespace rdmaready {

// Names the file and the index of a RoCE v2 GID with an IP address, where `gids` has one.
Fix AnotherIndexFix(const ConsumerMarking& marking, const Port& port, const std::vector<Gid>& gids);

}  // namespace rdmaready
