// SPDX-License-Identifier: Apache-2.0
// Trust: by what a NIC tells the priority of a received frame.
#pragma once

#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "checks/fact_ref.h"

namespace rdmaready {

// By what it tells priorities apart first; kAny: by neither. Drivers with a trust table say so themselves: no
// NIC's of Linux 6.12, only switches'. Of the others some follow a rule of their own, known by name:
//  - mlx5_core: with a row of DSCP it trusts DSCP, without one PCP (mlx5e_dcbnl_ieee_setapp, _delapp);
//  - ice: the same, as long as the host runs DCBX (ice_dcbnl_setapp). While its firmware does, it trusts PCP:
//    firmware's agent does not start in DSCP mode (ice_set_priv_flags), and rows are the switch's words only;
//  - bnxt_en: gives each row of DSCP to the NIC's own map of DSCP (bnxt_hwrm_queue_dscp2pri_cfg). That map may
//    have entries of NVRAM or of Broadcom's tools too, which no row shows: without any row nothing is known;
//  - hns3: with a row of DSCP it trusts DSCP (hclge_ieee_setapp);
//  - mlx4_en: knows PCP only. It has no ieee_setapp, so that no row ever reaches the NIC.
// Some mlx5 of MLNX_OFED show what is set in sysfs (Dcb::nic_trust): that goes before the rule.
// Missing for every other driver, and where the rows are not known.
Fact<Profile::Trust> TrustOf(NetdevRef netdev);

// The order of a driver with a trust table, where the profile names what to trust.
std::vector<AppSelector> WantedTrustOrder(const Profile& profile);

// By which of these rules: "by the DSCP rows". Empty for a driver with a trust table, and for one without
// a rule.
std::string TrustReason(const Netdev& netdev);

// A driver without a trust table whose rule, as above, needs the rows.
bool TrustFollowsRows(const Netdev& netdev);

}  // namespace rdmaready
