// SPDX-License-Identifier: Apache-2.0
#include "checks/app_rows.h"

#include <algorithm>
#include <array>

namespace rdmaready {

std::vector<std::uint8_t> PrioritiesFor(std::span<const AppEntry> rows, AppSelector selector,
                                        std::uint16_t protocol) {
  std::vector<std::uint8_t> priorities;
  for (const AppEntry& row : rows) {
    if (row.selector == selector && row.protocol == protocol) priorities.push_back(row.priority);
  }
  std::ranges::sort(priorities);
  return priorities;
}

bool TakesPriorityFromRows(std::string_view driver) {
  constexpr std::array<std::string_view, 2> kDrivers{"bnxt_en", "qede"};
  return std::ranges::find(kDrivers, driver) != kDrivers.end();
}

bool TakesDscpRowsOnly(std::string_view driver) {
  constexpr std::array<std::string_view, 2> kDrivers{"mlx5_core", "ice"};
  return std::ranges::find(kDrivers, driver) != kDrivers.end();
}

}  // namespace rdmaready
