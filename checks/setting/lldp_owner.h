// SPDX-License-Identifier: Apache-2.0
// The LLDP agent of this host that writes data centre bridging to a port.
#pragma once

#include <string_view>

#include "checks/setting/owner.h"
#include "checks/setting/table.h"

namespace rdmaready {

// lldpad writes its own settings whenever it runs, unless it was started read-only (-R), whether or not a frame
// of it was heard. Another agent owns them when it was heard to follow the switch.
SettingOwner LldpOwner(const Facts& facts, const SettingPlace& place, std::string_view to);

}  // namespace rdmaready
