// SPDX-License-Identifier: Apache-2.0
// Steps that make things worse without another setting that is refused.
#pragma once

#include <map>
#include <span>
#include <string>

#include "checks/plan/planner.h"

namespace rdmaready {

// The steps of `plan` that need a refused setting of the same netdev, and why: lossless priorities need classes
// of their own (ETS) and no link-level pause, and buffers for them need PFC. `parts` is the host after all
// steps: what it has already is not needed. Pure.
std::map<SettingObject, std::string> NeedingRefused(std::span<const PlannedPart> parts, const Plan& plan);

}  // namespace rdmaready
