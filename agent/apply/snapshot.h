// SPDX-License-Identifier: Apache-2.0
// What a plan touches, and what must be as before when it is taken back.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"
#include "api/model/setting.h"

namespace rdmaready::apply {

// Of all settings of the host those of the ports that the plan touches, with what is below and above them (a
// VLAN's MTU falls with that of its port), and of the host itself those that it sets. Pure.
std::vector<Setting> SnapshotOf(const Facts& facts, const Plan& plan, const std::vector<Setting>& all);

}  // namespace rdmaready::apply
