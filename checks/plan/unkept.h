// SPDX-License-Identifier: Apache-2.0
// Settings of the profile that a boot loses and no file of plan --persist brings back.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"
#include "checks/plan/planner.h"

namespace rdmaready {

// `host` as it is now, `parts` as the plan leaves it; Plan::persist is there already. The DSCP and priority of
// congestion notifications, whether or not a unit is written for the port; and each step whose setting is in
// PersistFile::keeps of no file, unless a file of the boot is known to give it the value, or the kernel does
// and no file sets another one. By subject.
std::vector<PlanUnkept> UnkeptOf(const Facts& host, const std::vector<PlannedPart>& parts, const Plan& plan);

}  // namespace rdmaready
