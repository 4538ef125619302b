// SPDX-License-Identifier: Apache-2.0
// DcbDriver: by whose rules a netdev takes data centre bridging.
#pragma once

#include "api/model/netdev.h"

namespace rdmaready {

enum class DcbDriver { kOther, kPlain, kMlx5, kBnxt, kIce, kMlx4, kCxgb4, kQede, kHns3, kI40e, kIxgbe };

// The driver's name decides. The virtual fabric's NIC is kIce where it has ice's private flag, kMlx5
// where it has PFC storm prevention, which mlx5 alone has, and else kPlain: bnxt_en cannot be distinguished
// from that.
DcbDriver DcbDriverOf(const Netdev& netdev);

// ice's private flag, kFirmwareLldpFlag of checks/setting/driver_rules.h. While the agent runs the host can set
// no DCB.
bool FirmwareLldpAgentOn(const Netdev& netdev);

// The NIC tells priorities by DSCP, and takes no other map of priorities to classes than each its own
// (ice_dcbnl_setets in DSCP mode).
bool ClassMapIsFixed(const Netdev& netdev);

// Whether a row of the APP table is more than the driver takes: an entry that it would refuse.
bool TakesRow(const Netdev& netdev, const AppEntry& row);

}  // namespace rdmaready
