// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/dcb_driver.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "checks/setting/driver_rules.h"

namespace rdmaready {
namespace {

struct NamedDcbDriver {
  std::string_view name;
  DcbDriver driver;
};
constexpr std::array<NamedDcbDriver, 10> kDcbDrivers{{{"mlx5_core", DcbDriver::kMlx5},
                                                      {"bnxt_en", DcbDriver::kBnxt},
                                                      {"ice", DcbDriver::kIce},
                                                      {"mlx4_en", DcbDriver::kMlx4},
                                                      {"cxgb4", DcbDriver::kCxgb4},
                                                      {"qede", DcbDriver::kQede},
                                                      {"hns3", DcbDriver::kHns3},
                                                      {"i40e", DcbDriver::kI40e},
                                                      {"ixgbe", DcbDriver::kIxgbe},
                                                      {"dcbnic", DcbDriver::kPlain}}};

const PrivateFlag* AgentFlag(const Netdev& netdev) {
  if (!netdev.link.private_flags) return nullptr;
  const auto found = std::ranges::find(*netdev.link.private_flags, kFirmwareLldpFlag, &PrivateFlag::name);
  return found == netdev.link.private_flags->end() ? nullptr : &*found;
}

}  // namespace

DcbDriver DcbDriverOf(const Netdev& netdev) {
  const auto found = std::ranges::find(kDcbDrivers, netdev.driver, &NamedDcbDriver::name);
  if (found == kDcbDrivers.end()) return DcbDriver::kOther;
  if (found->driver != DcbDriver::kPlain) return found->driver;
  if (AgentFlag(netdev) != nullptr) return DcbDriver::kIce;
  return netdev.pfc_storm_timeout_ms ? DcbDriver::kMlx5 : DcbDriver::kPlain;
}

bool FirmwareLldpAgentOn(const Netdev& netdev) {
  const PrivateFlag* flag = AgentFlag(netdev);
  return flag != nullptr && flag->on;
}

bool ClassMapIsFixed(const Netdev& netdev) {
  return DcbDriverOf(netdev) == DcbDriver::kIce && netdev.dcb.app &&
         std::ranges::any_of(*netdev.dcb.app,
                             [](const AppEntry& row) { return row.selector == AppSelector::kDscp; });
}

bool TakesRow(const Netdev& netdev, const AppEntry& row) {
  switch (DcbDriverOf(netdev)) {
    case DcbDriver::kMlx5:
    case DcbDriver::kIce:
    case DcbDriver::kHns3:
      return row.selector == AppSelector::kDscp;
    case DcbDriver::kCxgb4:
      return (row.selector == AppSelector::kStream || row.selector == AppSelector::kDgram) && row.protocol != 0;
    case DcbDriver::kQede:
      return row.selector != AppSelector::kDscp && row.selector != AppSelector::kPcp;
    case DcbDriver::kPlain:
      return row.selector == AppSelector::kDscp ||
             (row.selector == AppSelector::kEthertype && row.protocol == 0);
    case DcbDriver::kBnxt:
    case DcbDriver::kMlx4:
    case DcbDriver::kI40e:
    case DcbDriver::kIxgbe:
    case DcbDriver::kOther:
      return true;
  }
  return true;
}

}  // namespace rdmaready
