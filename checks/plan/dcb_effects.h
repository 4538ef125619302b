// SPDX-License-Identifier: Apache-2.0
// The part of checks/plan/driver_effects.h that one netdev's driver decides.
#pragma once

#include <string>
#include <string_view>

#include "api/model/netdev.h"
#include "api/model/setting.h"

namespace rdmaready {

// Of pause, private flags and data centre bridging. `in_bond`: the netdev is a member of one. On a refusal the
// netdev may be half changed.
std::string WriteDcb(Netdev& netdev, const SettingObject& object, std::string_view to, bool in_bond);

}  // namespace rdmaready
