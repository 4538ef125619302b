// SPDX-License-Identifier: Apache-2.0
// What several settings are now.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/setting.h"

namespace rdmaready {

// Canonical; an error where it cannot be read, and why.
using SettingValues = std::map<SettingObject, absl::StatusOr<std::string>>;

}  // namespace rdmaready
