// SPDX-License-Identifier: Apache-2.0
#include "checks/words/interruption.h"

#include <algorithm>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kQueuesStop = "  # the driver stops the port for a moment";

}  // namespace

// mlx5e_dcbnl_ieee_setpfc toggles the link, ice_pf_dcb_cfg closes and opens the port's queues.
std::string_view CostOfPfc(NetdevRef netdev) {
  if (netdev && netdev->driver == "mlx5_core") return "  # the link goes down for a moment";
  return netdev && netdev->driver == "ice" ? kQueuesStop : "";
}

// With the first row ice goes over from the tag to the DSCP (ice_dcbnl_setapp).
std::string_view CostOfDscpRow(NetdevRef netdev) {
  if (!netdev || netdev->driver != "ice" || !netdev->dcb.app) return "";
  const bool has_one = std::ranges::any_of(
      *netdev->dcb.app, [](const AppEntry& row) { return row.selector == AppSelector::kDscp; });
  return has_one ? "" : kQueuesStop;
}

std::string BounceCommand(std::string_view netdev_word, std::string_view why) {
  return Cat("ip link set dev ", netdev_word, " down && ip link set dev ", netdev_word, " up  # ", why,
             "; then set its IPv6 addresses and static routes again, which are lost");
}

}  // namespace rdmaready
