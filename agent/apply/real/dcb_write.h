// SPDX-License-Identifier: Apache-2.0
// Writing by dcbnl: DCBX mode, ETS, PFC, buffer, maximum rates, APP table, trust order.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "agent/apply/real/kernel_door.h"
#include "api/model/setting.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// `object` is of one of those kinds, and both values are canonical.
//
// What the driver has no function for (ETS, PFC, buffer, rates), the kernel ignores and says that it was done;
// where it has none to read it either, that is EOPNOTSUPP here. Else only who reads back knows.
absl::Status WriteDcb(HostReader& host, KernelDoor& door, const SettingObject& object, std::string_view from,
                      std::string_view to);

}  // namespace rdmaready
