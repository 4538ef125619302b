// SPDX-License-Identifier: Apache-2.0
#include "api/inventory/sites.h"

#include <utility>

#include "api/base/status.h"

namespace rdmaready {

absl::StatusOr<std::vector<std::shared_ptr<const Site>>> SitesOf(const Inventory& inventory) {
  std::vector<std::shared_ptr<const Site>> sites;
  for (const InventoryJudging& judging : inventory.judgings) {
    absl::StatusOr<Site> site = LoadSite(judging.profiles);
    if (!site.ok()) return absl::InvalidArgumentError(judging.place + Message(site.status()));
    if (!judging.rails.empty()) site = OnRails(*site, judging.rails);
    if (!site.ok()) return absl::InvalidArgumentError(judging.rails_place + Message(site.status()));
    sites.push_back(std::make_shared<const Site>(*std::move(site)));
  }
  return sites;
}

}  // namespace rdmaready
