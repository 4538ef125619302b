// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/app_rows.h"

#include <algorithm>
#include <array>

#include "checks/words/words.h"

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

bool IgnoresDscpRows(std::string_view driver) {
  constexpr std::array<std::string_view, 2> kDrivers{"mlx4_en", "qede"};
  return std::ranges::find(kDrivers, driver) != kDrivers.end();
}

bool HidesRowsOfFirmware(std::string_view driver) { return driver == "qede"; }

Missing RowOfFirmware(std::string_view driver) {
  return {.kind = Missing::Kind::kUnsupported,
          .detail = Cat("no row set from Linux, and ", driver, " does not show those of its firmware")};
}

}  // namespace rdmaready
