// SPDX-License-Identifier: Apache-2.0
// Values in journals and kept files of earlier versions.
#pragma once

#include <string>

#include "api/model/setting.h"

namespace rdmaready {

// The canonical text for one that an earlier version wrote: an ETS value had the shares of classes that are not
// ETS then, which mlx5 shows as 100. Any other text is returned as it is.
std::string TodaysValue(SettingKind kind, std::string value);

}  // namespace rdmaready
