// SPDX-License-Identifier: Apache-2.0
// The files of checks/plan/persist.h, one function each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"
#include "api/model/setting.h"
#include "checks/check.h"

namespace rdmaready {

// Whether UnitFile's commands set the kind: the profile asks for it. `value` is canonical.
bool IsSetByUnit(const EthernetView& view, SettingKind kind, std::string_view value);

// A canonical value that differs from `value` in all that a command names: from it the command names the whole.
std::string FarFrom(SettingKind kind, std::string_view value);

// A oneshot unit of systemd that runs the commands whenever the interface appears.
PersistFile UnitFile(const std::string& netdev, const std::vector<std::string>& commands);

// The MTU by systemd's udev; `note` names the command of its network manager. If the interface has an owner, it
// is the owner's file without content; the path is empty where that file is not on this host, and where a file
// of the boot sets that MTU already. Where a .link file matches the interface, it is that file.
PersistFile LinkFile(const Facts& host, const Netdev& netdev);
PersistFile LinkFile(const Facts& host, const UpperNetdev& upper);

// "; FILE could not be read, and may ..."; empty: all files that may set something at boot were read.
std::string UnreadNote(const Facts& host);

// A VLAN's MTU, 0 or the standard one where it needs none, and its map of priorities ("empty": none).
PersistFile VlanUnitFile(const Facts& host, const std::string& netdev, std::uint32_t mtu_bytes,
                         std::string_view egress);

// A rule of udev for all RDMA devices.
PersistFile TosFile(unsigned tos);

// For logins.
PersistFile MemlockFile();

}  // namespace rdmaready
