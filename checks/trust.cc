// SPDX-License-Identifier: Apache-2.0
#include "checks/trust.h"

#include <algorithm>
#include <array>

#include "checks/words.h"

namespace rdmaready {
namespace {

// dcbnic is the virtual fabric's NIC, which does as mlx5 does.
bool FollowsRowsBothWays(std::string_view driver) {
  constexpr std::array<std::string_view, 3> kDrivers{"mlx5_core", "ice", "dcbnic"};
  return std::ranges::find(kDrivers, driver) != kDrivers.end();
}

constexpr std::string_view kMapsDscpRows = "bnxt_en";

Missing NoRule(const Netdev& netdev) {
  Missing why = netdev.dcb.app_trust.missing();
  if (why.kind == Missing::Kind::kUnsupported) {
    why.detail = Cat("driver ", netdev.driver.empty() ? "of " + netdev.name : netdev.driver,
                     " has no APP trust table, and its rule is not known");
  }
  return why;
}

}  // namespace

bool TrustFollowsRows(const Netdev& netdev) {
  return !netdev.dcb.app_trust && (FollowsRowsBothWays(netdev.driver) || netdev.driver == kMapsDscpRows);
}

Fact<Profile::Trust> TrustOf(const Fact<Netdev>& netdev) {
  if (!netdev) return netdev.missing();
  if (netdev->dcb.app_trust) {
    for (const AppSelector selector : *netdev->dcb.app_trust) {
      if (selector == AppSelector::kDscp) return Profile::Trust::kDscp;
      if (selector == AppSelector::kPcp) return Profile::Trust::kPcp;
    }
    return Profile::Trust::kAny;
  }
  if (!TrustFollowsRows(*netdev)) return NoRule(*netdev);
  if (!netdev->dcb.app) return netdev->dcb.app.missing();
  const bool by_dscp = std::ranges::any_of(
      *netdev->dcb.app, [](const AppEntry& row) { return row.selector == AppSelector::kDscp; });
  if (by_dscp) return Profile::Trust::kDscp;
  if (FollowsRowsBothWays(netdev->driver)) return Profile::Trust::kPcp;
  return NoRule(*netdev);
}

}  // namespace rdmaready
