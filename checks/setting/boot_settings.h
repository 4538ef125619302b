// SPDX-License-Identifier: Apache-2.0
// The values that files of the boot give an MTU, link-level pause or sysctl of this host.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/setting/table.h"

namespace rdmaready {

// The writes of Facts::boot_settings that hold for the setting: of .link files those of the first that matches
// the interface, with their drop-ins, of sysctl.d a name before a pattern, and every command. Empty for any
// other kind, and where the fact is missing. They refer to `facts`.
std::vector<const BootWrite*> BootWritersOf(const Facts& facts, const SettingPlace& place);

// Whether a write of that kind leaves the setting at `to`, which is canonical.
bool IsRightAtBoot(SettingKind kind, const BootWrite& write, std::string_view to);

// "/etc/netplan could not be read, and may set it at the next boot"; empty: all files of the boot that may set
// such a kind were read, or the fact is missing. A file that holds other kinds alone is left out.
std::string UnreadAtBoot(const Facts& facts, SettingKind kind);

// The .link file that udev applies to an interface.
struct AtBootLink {
  std::string file{};  // "/usr/lib/systemd/network/99-default.link"; empty: not known
  bool own = false;    // it names this interface and no other one
};

// Uses udev's record of the interface, and the files that match it and come before.
AtBootLink LinkFileOf(const Facts& facts, const SettingPlace& place);

// The .network file that networkd says it uses for the interface; empty: not known.
std::string NetworkdFileOf(const Facts& facts, const std::string& netdev);

// Whether a .link or .network file is known to name an interface beside this one.
bool NamesOthers(const Facts& facts, const SettingPlace& place, std::string_view file);

// A script of the boot, or a file below `folder`, that could not be read: what it sets of Facts::boot_writes is
// not known. Nothing: all of them were read.
std::optional<Missing> UnreadScript(const Facts& facts, std::string_view folder = "/");

}  // namespace rdmaready
