// SPDX-License-Identifier: Apache-2.0
// Stages: the kinds of settings in the order of writing, with the function that wishes for each, out of the
// files of wishes.
#pragma once

#include <span>

#include "checks/plan/wish.h"

namespace rdmaready {

std::span<const Stage> Stages();

// What the checks that a setting of this kind can mend say of the place: failures, warnings and unknowns.
Faults FaultsOf(SettingKind kind, const EthernetView& view);
Faults FaultsOf(SettingKind kind, const PortView& view);

}  // namespace rdmaready
