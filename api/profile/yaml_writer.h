// SPDX-License-Identifier: Apache-2.0
// A profile as YAML that reads back as the same profile.
#pragma once

#include <string>

#include "api/profile/load.h"

namespace rdmaready {

// Keys in the order of the schema; what is not asked for is left out. Of a profile that extends another, every
// value has the file and line that it is from behind it. `reading.profile` is set. Pure.
std::string ProfileYaml(const ProfileReading& reading);

}  // namespace rdmaready
