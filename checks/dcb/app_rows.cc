// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/app_rows.h"

#include <algorithm>
#include <array>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool IsStoragePort(std::uint16_t port) {
  return port == kRoceV2UdpPort || port == kSmbPort || port == kSmbDirectPort;
}

}  // namespace

std::string_view AppKeyword(AppSelector selector) {
  switch (selector) {
    case AppSelector::kEthertype:
      return "ethtype-prio";
    case AppSelector::kStream:
      return "stream-port-prio";
    case AppSelector::kDgram:
      return "dgram-port-prio";
    case AppSelector::kAny:
      return "port-prio";
    case AppSelector::kDscp:
      return "dscp-prio";
    case AppSelector::kPcp:
      return "pcp-prio";
    case AppSelector::kNone:
      break;
  }
  return "";
}

std::vector<std::uint8_t> PrioritiesFor(std::span<const AppEntry> rows, AppSelector selector,
                                        std::uint16_t protocol) {
  std::vector<std::uint8_t> priorities;
  for (const AppEntry& row : rows) {
    if (row.selector == selector && row.protocol == protocol) priorities.push_back(row.priority);
  }
  std::ranges::sort(priorities);
  return priorities;
}

bool TakesPriorityFromRows(std::string_view driver) {
  constexpr std::array<std::string_view, 2> kDrivers{"bnxt_en", "qede"};
  return std::ranges::find(kDrivers, driver) != kDrivers.end();
}

bool TakesDscpRowsOnly(std::string_view driver) {
  constexpr std::array<std::string_view, 2> kDrivers{"mlx5_core", "ice"};
  return std::ranges::find(kDrivers, driver) != kDrivers.end();
}

bool IgnoresDscpRows(std::string_view driver) {
  constexpr std::array<std::string_view, 2> kDrivers{"mlx4_en", "qede"};
  return std::ranges::find(kDrivers, driver) != kDrivers.end();
}

bool HidesRowsOfFirmware(std::string_view driver) {
  constexpr std::array<std::string_view, 2> kDrivers{"bnxt_en", "qede"};
  return std::ranges::find(kDrivers, driver) != kDrivers.end();
}

Missing RowOfFirmware(std::string_view driver) {
  return {.kind = Missing::Kind::kUnsupported,
          .detail = Cat("no row set from Linux, and ", driver, " does not show those of its firmware")};
}

Fix LookAtFirmware(NetdevRef netdev, const Fix& set) {
  const std::string_view tool = netdev && netdev->driver == "bnxt_en" ? " (niccli)" : "";
  std::string cost;
  for (const std::string& caution : set.remedy().cautions) cost += Cat(cost.empty() ? " (" : "; ", caution);
  return Fix()
      .Do(Cat("look with the vendor's own tool", tool, " at what the NIC has"))
      .Or(Cat("set it from Linux", cost, cost.empty() ? ": " : "): ", FirstCommand(set.remedy())));
}

Fix NoDscpMapFix(NetdevRef netdev) {
  const std::string driver = netdev ? netdev->driver : std::string("of the NIC");
  return Fix()
      .Because(Cat("driver ", driver, " gives the NIC no map of DSCP"), Certainty::kCertain)
      .Do("tag RDMA with its priority in a VLAN, and use a profile that trusts PCP")
      .Or("use another NIC");
}

Missing UnknownDriver() {
  return {.kind = Missing::Kind::kFailed, .detail = "which driver the interface has is not known"};
}

Fact<DscpPriorities> PrioritiesOfDscp(const Netdev& netdev, std::uint8_t dscp) {
  if (netdev.driver.empty()) return UnknownDriver();
  const bool mlx5 = netdev.driver == "mlx5_core";
  const Fact<DscpMap>& own = netdev.dcb.nic_dscp_map;
  if (own && dscp < own->size()) return DscpPriorities{{(*own)[dscp]}, DscpPriorities::By::kNicMap};
  if (mlx5 && own.missing().kind != Missing::Kind::kUnsupported) return own.missing();
  if (!netdev.dcb.app) return netdev.dcb.app.missing();
  DscpPriorities found{PrioritiesFor(*netdev.dcb.app, AppSelector::kDscp, dscp)};
  if (!found.priorities.empty()) return found;
  if (HidesRowsOfFirmware(netdev.driver)) return RowOfFirmware(netdev.driver);
  const bool follows = mlx5 && std::ranges::any_of(*netdev.dcb.app, [](const AppEntry& row) {
                         return row.selector == AppSelector::kDscp;
                       });
  constexpr std::uint8_t kDscpsOfAPriority = 8;
  if (follows)
    return DscpPriorities{{static_cast<std::uint8_t>(dscp / kDscpsOfAPriority)}, DscpPriorities::By::kDefault};
  return found;
}

std::optional<std::uint8_t> PlannedPriority(const Profile& profile, const AppEntry& row) {
  switch (row.selector) {
    case AppSelector::kDscp:
      if (profile.dscp == row.protocol) return profile.rdma_priority;
      return profile.cnp && profile.cnp->dscp == row.protocol ? profile.cnp->priority : std::nullopt;
    case AppSelector::kStream:
    case AppSelector::kDgram:
    case AppSelector::kAny:
      return IsStoragePort(row.protocol) ? profile.rdma_priority : std::nullopt;
    case AppSelector::kEthertype:
      return row.protocol == kRoceV1Ethertype ? profile.rdma_priority : std::nullopt;
    case AppSelector::kPcp:
      return profile.rdma_priority == row.protocol ? profile.rdma_priority : std::nullopt;
    case AppSelector::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace rdmaready
