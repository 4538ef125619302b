// SPDX-License-Identifier: Apache-2.0
// No step without its way back. Pure.
#pragma once

#include <span>

#include "api/model/plan.h"
#include "checks/plan/planner.h"

namespace rdmaready {

// Rolls the plan back on the model of the drivers (WriteSetting), in the order of the applier, from the hosts
// that it leads to. A step whose setting does not become what it was, or that changes another setting which
// does not, gets a reason in PlanStep::one_way. A step that has one keeps it.
void MarkOneWaySteps(std::span<const PlannedPart> parts, Plan& plan);

}  // namespace rdmaready
