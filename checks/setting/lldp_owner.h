// SPDX-License-Identifier: Apache-2.0
// The LLDP agent of this host that writes data centre bridging to a port.
#pragma once

#include <string>
#include <string_view>

#include "checks/setting/owner.h"
#include "checks/setting/table.h"

namespace rdmaready {

// lldpad writes its own settings whenever it runs, unless it was started read-only (-R), whether or not a frame
// of it was heard. Another agent owns them when it was heard to follow the switch.
SettingOwner LldpOwner(const Facts& facts, const SettingPlace& place, std::string_view to);

// Why it is not known whether an LLDP agent of this host writes the setting: which agents run could not be
// read. A sentence; empty where that is known, or where no agent writes settings of that kind.
std::string DoubtOfLldpOwner(const Facts& facts, const SettingObject& object);

}  // namespace rdmaready
