// SPDX-License-Identifier: Apache-2.0
// Stages: the kinds of settings in the order of writing, with the function that wishes for each.
//
// That is the order of the table (checks/setting/table.h).
#pragma once

#include <span>
#include <variant>

#include "checks/plan/wish.h"

namespace rdmaready {

template <class View>
using MakeWishes = Wishes (*)(const View& view, const Faults& faults);

struct Stage {
  SettingKind kind = SettingKind::kUnknown;
  std::variant<MakeWishes<EthernetView>, MakeWishes<PortView>> wishes{};
};

std::span<const Stage> Stages();

// What the checks that a setting of this kind can mend say of the place: failures, warnings and unknowns.
Faults FaultsOf(SettingKind kind, const EthernetView& view);
Faults FaultsOf(SettingKind kind, const PortView& view);

}  // namespace rdmaready
