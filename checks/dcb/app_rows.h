// SPDX-License-Identifier: Apache-2.0
// Rows of the APP table: which protocol has which priority.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "api/model/dcb.h"
#include "api/model/fact.h"
#include "api/model/netdev.h"
#include "api/model/profile.h"
#include "api/model/well_known_ports.h"
#include "checks/fact_ref.h"
#include "checks/words/fix.h"

namespace rdmaready {

inline constexpr std::uint16_t kRoceV1Ethertype = 0x8915;

// The command that shows the table.
inline constexpr std::string_view kShowApp = "dcb app show dev {netdev}";

// The word that `dcb app` has for it; empty for none. The default priority, EtherType 0, has "default-prio".
std::string_view AppKeyword(AppSelector selector);

// Of all rows for that protocol, ascending.
std::vector<std::uint8_t> PrioritiesFor(std::span<const AppEntry> rows, AppSelector selector,
                                        std::uint16_t protocol);

// The priority that the profile has for what the row is about.
std::optional<std::uint8_t> PlannedPriority(const Profile& profile, const AppEntry& row);

// Drivers that take RoCE's priority from the row of its UDP port or EtherType.
bool TakesPriorityFromRows(std::string_view driver);

// Drivers that refuse every row but those of DSCP.
bool TakesDscpRowsOnly(std::string_view driver);

// Drivers whose NIC never hears of a row for a DSCP, though the kernel's table may hold one: mlx4_en has no
// ieee_setapp, so that the kernel keeps the row to itself; qede enters it and refuses it afterwards (6.12).
bool IgnoresDscpRows(std::string_view driver);

// Drivers whose table shows rows that were set from Linux, and none that firmware got by DCBX or has of
// its own.
bool HidesRowsOfFirmware(std::string_view driver);

// Why the lack of a row says nothing on such a driver.
Missing RowOfFirmware(std::string_view driver);

// For what firmware may have and the driver does not show: a person looks before anything is set.
// `set` writes it from Linux, which the driver shows from then on.
Fix LookAtFirmware(NetdevRef netdev, const Fix& set);

// What a table means depends on the driver, and it is not known.
Missing UnknownDriver();

// The remedy where the driver gives the NIC no map of DSCP: no command does.
Fix NoDscpMapFix(NetdevRef netdev);

// The priorities that a NIC gives frames of a DSCP, and how that is known.
struct DscpPriorities {
  enum class By {
    kRows,
    kNicMap,   // the NIC's own map, as its driver shows it
    kDefault,  // the NIC's own map as it comes up, which nobody shows: mlx5 with rows, and none for this DSCP
  };
  std::vector<std::uint8_t> priorities{};  // ascending; empty: nothing maps it
  By by = By::kRows;
};

// Of a driver that does not ignore rows. Missing also where firmware may have a row that is not shown.
Fact<DscpPriorities> PrioritiesOfDscp(const Netdev& netdev, std::uint8_t dscp);

}  // namespace rdmaready
