// SPDX-License-Identifier: Apache-2.0
// The values that files of the boot give an MTU, link-level pause or sysctl of this host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checks/setting/table.h"

namespace rdmaready {

// The writes of Facts::boot_settings that hold for the setting: of .link files those of the first that matches
// the interface, of sysctl.d a name before a pattern. Empty for any other kind, and where the fact is missing.
// They refer to `facts`.
std::vector<const BootWrite*> BootWritersOf(const Facts& facts, const SettingPlace& place);

// Whether a write of that kind leaves the setting at `to`, which is canonical.
bool IsRightAtBoot(SettingKind kind, const BootWrite& write, std::string_view to);

// "/etc/netplan could not be read, and may set it at the next boot"; empty: all files of the boot that may set
// such a kind were read, or the fact is missing.
std::string UnreadAtBoot(const Facts& facts, SettingKind kind);

// The first .link file that matches the interface, by "match" or by what it sets. Null: none is known to.
const BootWrite* LinkFileOf(const Facts& facts, const SettingPlace& place);

}  // namespace rdmaready
