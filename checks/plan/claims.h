// SPDX-License-Identifier: Apache-2.0
// The claims of a plan: the checks that each step says it repairs.
#pragma once

#include <map>
#include <span>
#include <string>

#include "checks/plan/planner.h"

namespace rdmaready {

// Steps that repair nothing, by what they would set.
struct IdleSteps {
  std::map<SettingObject, std::string> refused{};    // why: a check would still fail or warn
  std::map<SettingObject, std::string> undecided{};  // a sentence: whether a check would pass is not known
};

// Takes off the steps of `plan` each check that the host after all steps does not pass at the place of the
// step, and returns the steps that lose all of theirs. A check that is unknown at another port breaks no claim
// of a setting of the host itself. `parts` is that host, by profile.
IdleSteps DropBrokenClaims(std::span<const PlannedPart> parts, Plan& plan);

}  // namespace rdmaready
