// SPDX-License-Identifier: Apache-2.0
// ManualOf: what keeps a host from being ready beside its settings, so that an empty plan is not read as
// "ready".
#pragma once

#include <span>
#include <vector>

#include "api/model/plan.h"
#include "api/model/report.h"

namespace rdmaready {

// `findings` are about the host of `plan`. The result has each that fails and blocks, unless a step, a refusal
// or a pending setting of the plan serves it at its place. In the order of the findings.
std::vector<PlanManual> ManualOf(const Plan& plan, std::span<const Finding> findings);

}  // namespace rdmaready
