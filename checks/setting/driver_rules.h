// SPDX-License-Identifier: Apache-2.0
// What drivers make of a write, where they differ (Linux 6.12). A netdev whose driver is not known has none of
// it.
#pragma once

#include <string_view>

#include "api/model/facts.h"
#include "api/model/setting.h"

namespace rdmaready {

// ice's private flag: its firmware's LLDP agent, which owns data centre bridging while it runs.
inline constexpr std::string_view kFirmwareLldpFlag = "fw-lldp-agent";

bool HasDriver(const Netdev* netdev, std::string_view driver);

// `ethtool -A` takes no autonegotiation, because it shows the link's own: ice_set_pauseparam,
// i40e_set_pauseparam and hclge_set_pauseparam answer EOPNOTSUPP where it differs.
bool PauseFollowsLink(const Netdev* netdev);

// A DSCP must be unmapped before it is mapped to another priority: ice_dcbnl_setapp refuses a second row, and
// bnxt_en forgets the DSCP with whichever row of it is deleted (bnxt_hwrm_queue_dscp2pri_cfg with mask 0), so
// that deleting the old one last would undo the new one.
bool DeletesRowsFirst(const Netdev* netdev);

// A new row of a DSCP takes the place of the old one, which then cannot be deleted any more (ENOENT):
// mlx5e_dcbnl_ieee_setapp.
bool ReplacesRows(const Netdev* netdev);

// While its firmware has DCBX, classes, lossless priorities and rows are the firmware's, and the host sets
// none: they are no settings of the host. Of ice and bnxt_en.
bool FirmwareHasDcb(const Netdev& netdev);

// Of a canonical value of kApp.
bool HasDscpRow(std::string_view app);

}  // namespace rdmaready
