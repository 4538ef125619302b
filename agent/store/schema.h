// SPDX-License-Identifier: Apache-2.0
// What the tables of an agent's store look like, and looked like in every version before.
#pragma once

#include "api/sqlite/migration.h"

namespace rdmaready {

Schema StoreSchema();

}  // namespace rdmaready
