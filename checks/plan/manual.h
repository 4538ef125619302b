// SPDX-License-Identifier: Apache-2.0
// ManualOf: what keeps a host from being ready beside its settings, so that an empty plan is not read as
// "ready".
#pragma once

#include <span>
#include <vector>

#include "api/model/plan.h"
#include "api/model/report.h"

namespace rdmaready {

// Of findings about the host that `plan` is of: each that fails, blocks and is served by no step, refusal or
// pending setting of the plan at its place. In the order of the findings.
std::vector<PlanManual> ManualOf(const Plan& plan, std::span<const Finding> findings);

}  // namespace rdmaready
