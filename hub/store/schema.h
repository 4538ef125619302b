// SPDX-License-Identifier: Apache-2.0
// What the tables of the hub's SQLite file look like. host_id stands first in every key: a table can be parted
// by it.
#pragma once

#include "api/sqlite/migration.h"

namespace rdmaready::hub {

Schema FleetSchema();

}  // namespace rdmaready::hub
