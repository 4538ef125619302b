// SPDX-License-Identifier: Apache-2.0
// BootOwner: a file that sets data centre bridging, RDMA-CM's type of service, an MTU, link-level pause or a
// sysctl when the host boots.
#pragma once

#include <string_view>

#include "checks/setting/owner.h"
#include "checks/setting/table.h"

namespace rdmaready {

// The first file of the boot that sets it to another value than `to`, or whose value is not known; its way has
// a step for each further one. Empty: no file is known, or `to` is empty where it could be compared.
SettingOwner BootOwner(const Facts& facts, const SettingPlace& place, std::string_view to);

}  // namespace rdmaready
