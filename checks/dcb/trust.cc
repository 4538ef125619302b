// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/trust.h"

#include <algorithm>
#include <array>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

enum class Rule { kNotKnown, kByRows, kByRowsToDscp, kPcp, kPcpByFirmware };

struct DriverRule {
  std::string_view driver;
  Rule rule = Rule::kNotKnown;
};

// dcbnic is the virtual fabric's NIC, which does as mlx5 does.
constexpr std::array<DriverRule, 6> kRules{{{"mlx5_core", Rule::kByRows},
                                            {"dcbnic", Rule::kByRows},
                                            {"ice", Rule::kByRows},
                                            {"hns3", Rule::kByRows},
                                            {"bnxt_en", Rule::kByRowsToDscp},
                                            {"mlx4_en", Rule::kPcp}}};

Rule RuleOf(const Netdev& netdev) {
  const auto found = std::ranges::find(kRules, netdev.driver, &DriverRule::driver);
  if (found == kRules.end()) return Rule::kNotKnown;
  if (netdev.driver == "ice" && netdev.dcb.dcbx && netdev.dcb.dcbx->lld_managed) return Rule::kPcpByFirmware;
  return found->rule;
}

bool NeedsRows(Rule rule) { return rule == Rule::kByRows || rule == Rule::kByRowsToDscp; }

bool HasRowOfDscp(const Netdev& netdev) {
  return netdev.dcb.app && std::ranges::any_of(*netdev.dcb.app, [](const AppEntry& row) {
           return row.selector == AppSelector::kDscp;
         });
}

Missing NoRule(const Netdev& netdev) {
  Missing why = netdev.dcb.app_trust.missing();
  if (why.kind != Missing::Kind::kUnsupported) return why;
  const std::string driver = netdev.driver.empty() ? "of " + netdev.name : netdev.driver;
  why.detail = RuleOf(netdev) == Rule::kByRowsToDscp
                   ? Cat("driver ", driver, " does not tell what it trusts without DSCP rows")
                   : Cat("driver ", driver, " has no APP trust table, and its rule is not known");
  return why;
}

}  // namespace

bool TrustFollowsRows(const Netdev& netdev) {
  return !netdev.dcb.app_trust && !netdev.dcb.nic_trust && NeedsRows(RuleOf(netdev));
}

Fact<Profile::Trust> TrustOf(NetdevRef netdev) {
  if (!netdev) return netdev.missing();
  if (netdev->dcb.app_trust) {
    for (const AppSelector selector : *netdev->dcb.app_trust) {
      if (selector == AppSelector::kDscp) return Profile::Trust::kDscp;
      if (selector == AppSelector::kPcp) return Profile::Trust::kPcp;
    }
    return Profile::Trust::kAny;
  }
  if (const Fact<AppSelector>& own = netdev->dcb.nic_trust; own) {
    return *own == AppSelector::kDscp ? Profile::Trust::kDscp : Profile::Trust::kPcp;
  } else if (netdev->driver == "mlx5_core" && own.missing().kind != Missing::Kind::kUnsupported) {
    return own.missing();
  }
  const Rule rule = RuleOf(*netdev);
  if (rule == Rule::kNotKnown) return NoRule(*netdev);
  if (!NeedsRows(rule)) return Profile::Trust::kPcp;
  if (!netdev->dcb.app) return netdev->dcb.app.missing();
  if (HasRowOfDscp(*netdev)) return Profile::Trust::kDscp;
  if (rule == Rule::kByRows) return Profile::Trust::kPcp;
  return NoRule(*netdev);
}

std::vector<AppSelector> WantedTrustOrder(const Profile& profile) {
  if (profile.trust == Profile::Trust::kDscp) return {AppSelector::kDscp, AppSelector::kPcp};
  return {AppSelector::kPcp};
}

std::string TrustReason(const Netdev& netdev) {
  if (netdev.dcb.app_trust) return {};
  if (netdev.dcb.nic_trust) return "by qos/trust of its driver";
  switch (RuleOf(netdev)) {
    case Rule::kByRows:
    case Rule::kByRowsToDscp:
      return HasRowOfDscp(netdev) ? "by the DSCP rows" : "as there are no DSCP rows";
    case Rule::kPcp:
      return Cat("as ", netdev.driver, " has no map of DSCP");
    case Rule::kPcpByFirmware:
      return "as its firmware runs DCBX";
    case Rule::kNotKnown:
      break;
  }
  return {};
}

}  // namespace rdmaready
