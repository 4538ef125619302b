// SPDX-License-Identifier: Apache-2.0
// The files of sysctl.d(5) that checks/plan/persist.h prints.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"
#include "checks/plan/planner.h"

namespace rdmaready {

// Adds what the plan sets, and what holds already on interfaces that share a subnet: by the interface's own
// variable, so that no other interface of the host changes. Nothing that a file of the host keeps; a file of
// the host that would undo one is added as it is to be changed.
// `host` is without the files of this program. The values that those have in `before` stay in the new one.
void AddSysctlFiles(const Facts& before, const Facts& host, const std::vector<PlannedPart>& parts,
                    const Plan& plan, std::vector<PersistFile>& files);

}  // namespace rdmaready
