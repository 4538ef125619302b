// SPDX-License-Identifier: Apache-2.0
// Files for the next boot that go beside those of a network manager: a drop-in of a .link or .network file, or
// a file in the folder of netplan or NetworkManager. A file of the site stays as it is.
#pragma once

#include <cstdint>
#include <string>

#include "api/model/facts.h"
#include "api/model/plan.h"
#include "checks/setting/owner.h"
#include "checks/setting/table.h"

namespace rdmaready {

// "[Link]\nMTUBytes=9000\n", as .link and .network files have it.
std::string MtuLines(std::uint32_t mtu_bytes);

// "/etc/systemd/network/50-a.link.d/rdma.conf": the drop-in of `file`. Its name comes after that of each
// drop-in which gives the interface another MTU.
std::string MtuDropInPath(const Facts& host, const std::string& file, std::uint32_t mtu_bytes);

// Whether a file with that path is known to set something at boot.
bool IsAtBoot(const Facts& host, const std::string& path);

// Whether an interface may start at another MTU than 1500 though no file of the boot sets one. Its driver may
// take the MTU from the device, and its network manager from DHCP. A VLAN has the MTU of the interface below.
bool MayStartAtOtherMtu(const Facts& host, const SettingObject& object);

// The file by which `owner`, a network manager, gives the interface that MTU. The path is empty where `owner`
// is another program, or the manager's name of the interface is not known. It is also empty where another file
// of the manager has another MTU, and where the manager's file names another interface as well, or is not the
// one that networkd uses.
PersistFile MtuFileOfManager(const Facts& host, const SettingPlace& place, const SettingOwner& owner,
                             std::uint32_t mtu_bytes);

}  // namespace rdmaready
