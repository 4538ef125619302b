// SPDX-License-Identifier: Apache-2.0
// Sites of an inventory: the profiles and site files that it names, read.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "api/inventory/inventory.h"
#include "api/profile/site.h"

namespace rdmaready {

// One for each of `inventory.judgings`, in their order. Errors as LoadSite's and OnRails', each after the place
// in the inventory that names what was refused. Blocks on file access.
absl::StatusOr<std::vector<std::shared_ptr<const Site>>> SitesOf(const Inventory& inventory);

}  // namespace rdmaready
