// SPDX-License-Identifier: Apache-2.0
// BootOwner: a file that sets data centre bridging, RDMA-CM's type of service, an MTU, link-level pause or a
// sysctl when the host boots.
#pragma once

#include <string>
#include <string_view>

#include "checks/setting/owner.h"
#include "checks/setting/table.h"

namespace rdmaready {

// The first file of the boot that sets it to another value than `to`, or whose value is not known; its way has
// a step for each further one. Empty: no file is known, or `to` is empty where it could be compared.
SettingOwner BootOwner(const Facts& facts, const SettingPlace& place, std::string_view to);

// The first file of the boot that sets it to `value`, or whose value is not known: "/etc/rc.local", not for a
// person. Empty: no file is known. `value` is canonical.
std::string FileThatSets(const Facts& facts, const SettingPlace& place, std::string_view value);

// Whether the next update of a package, or the next boot, makes the file anew: below /usr and /run, but for
// /usr/local/sbin and the like. An edit there is lost.
bool IsMadeAnew(std::string_view file);

// Where a person writes what a file of the boot has, in one line: "change /etc/rc.local", or for a file that is
// made anew "copy /usr/lib/x.sh to /etc, change the copy, and let UNIT run it". `started` is what starts it.
std::string ChangeText(std::string_view file, std::string_view started);

// A step for the next boot: how the setting gets `to` where `write` gives it another value. `what`: "MTU of
// dcb0".
std::string StepAtBoot(const BootWrite& write, const SettingObject& object, const std::string& what,
                       std::string_view to);

}  // namespace rdmaready
