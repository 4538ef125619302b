// SPDX-License-Identifier: Apache-2.0
// Settings of the profile that a boot loses and no file of plan --persist brings back.
#pragma once

#include <vector>

#include "api/model/plan.h"
#include "checks/plan/planner.h"

namespace rdmaready {

// `parts` are the host as the plan leaves it. The DSCP and priority of congestion notifications, and what the
// plan sets that has no file. Whether a unit is written for the port makes no difference. By subject.
std::vector<PlanUnkept> UnkeptOf(const std::vector<PlannedPart>& parts, const Plan& plan);

}  // namespace rdmaready
