// SPDX-License-Identifier: Apache-2.0
// Who uses the ports that a plan touches.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"

namespace rdmaready {

// Of each RDMA port that a step of the plan is about, or whose interfaces one changes: what is known to use it
// now. A port of which it is not known is named too; one that nobody uses is not.
std::vector<PortUser> UsersOf(const Facts& host, const Plan& plan);

}  // namespace rdmaready
