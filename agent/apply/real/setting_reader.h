// SPDX-License-Identifier: Apache-2.0
// Reading some settings afresh, and nothing else of the host: before and after each write, and to take back in
// time.
#pragma once

#include <vector>

#include "agent/apply/setting_values.h"
#include "api/model/setting.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// One entry for each of `objects`, by the collectors and the table of settings, as a whole reading has them. A
// netdev costs some thirty questions, however many of its settings are asked for.
SettingValues ReadSettings(HostReader& host, const std::vector<SettingObject>& objects);

}  // namespace rdmaready
