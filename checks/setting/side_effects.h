// SPDX-License-Identifier: Apache-2.0
// Side effects of writes: settings of a host that the kernel or a driver changes besides. A rollback writes
// these back. Any other setting that differs was changed by somebody else.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"
#include "api/model/setting.h"

namespace rdmaready {

// The settings of `all` that the steps, or writing them back, may change besides what each step sets. These are
// the changes that the model of drivers and kernel (WriteSetting) shows for these values, and the settings of
// data centre bridging that the step's driver is known to rewrite. An unknown driver may rewrite all of its
// netdev's own. Pure.
std::set<SettingObject> RewrittenBy(const Facts& facts, std::span<const PlanStep> steps,
                                    const std::vector<Setting>& all);

}  // namespace rdmaready
