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

// The file that keeps the MTU of an interface. If the interface has an owner, it is the owner's file; the path
// is empty where a file of the boot, or the owner, sets that MTU already. Where a .link file holds for the
// interface alone, it is a drop-in of that file, with the MTU and nothing else. Where systemd's default holds
// for it, it is a .link file that matches it by its permanent address and place. Else it is a unit: a file that
// others use stays as it is.
PersistFile MtuFileOf(const Facts& host, const Netdev& netdev);
PersistFile MtuFileOf(const Facts& host, const UpperNetdev& upper);

// "; FILE could not be read, and may ..."; empty: all files that may set something at boot were read.
std::string UnreadNote(const Facts& host);

// The settings of a VLAN that a unit makes.
struct VlanAtBoot {
  std::string netdev{};
  std::vector<std::string> over{};  // the interfaces below, whose MTU comes first
  std::uint32_t mtu_bytes = 0;      // 0 or the standard one: it needs none
  std::string egress = "empty";     // its map of priorities; "empty": none
};

// The priorities come first: where the MTU is refused, they are set all the same.
PersistFile VlanUnitFile(const Facts& host, const VlanAtBoot& vlan);

// A rule of udev for all RDMA devices.
PersistFile TosFile(unsigned tos);

// For logins of people who are in a group. `bytes`: all bits set means unlimited.
PersistFile MemlockFile(std::uint64_t bytes);

}  // namespace rdmaready
