// SPDX-License-Identifier: Apache-2.0
// The network manager of this host that has an interface in its configuration: it sets MTU and link-level pause
// again whenever it brings the interface up.
#pragma once

#include <string>
#include <string_view>

#include "checks/setting/owner.h"
#include "checks/setting/table.h"

namespace rdmaready {

// "NetworkManager", "systemd-networkd", "netplan", by the file that names the interface; empty for the file of
// any other program.
std::string_view NetworkManagerOf(const NamedDevice& named);

SettingOwner NetworkOwner(const Facts& facts, const SettingPlace& place, std::string_view to);

// The same of the interface's addresses, which are not settings of the table. The step has ADDRESS in it.
SettingOwner AddressOwner(const Facts& facts, const std::string& netdev);

}  // namespace rdmaready
