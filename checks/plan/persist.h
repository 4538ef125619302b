// SPDX-License-Identifier: Apache-2.0
// Files that bring settings back at boot: the kernel and NICs forget all of them. `plan --persist` prints them,
// and `apply --persist` writes those of PersistFile::by_apply (boot_files.h). The checks that look for them
// pass with them: dcb.at-boot, roce.tos-persistent, host.memlock-grants, sec.netns-shared.
#pragma once

#include <string>
#include <vector>

#include "api/model/plan.h"
#include "checks/plan/planner.h"

namespace rdmaready {

// Of the host as the plan leaves it (`parts`), all that a profile asks for, whether or not the plan has to set
// it now; but nothing that the host or its cluster keeps already. A file of this program is whole, and is left
// out where it is there with these values. By path.
std::vector<PersistFile> PersistFilesOf(const Facts& host, const std::vector<PlannedPart>& parts,
                                        const Plan& plan);

// The subject of the port that has the setting, as PlanStep::subject names it; empty: no port has it.
std::string SubjectOfSetting(const Facts& host, const SettingObject& object);

}  // namespace rdmaready
