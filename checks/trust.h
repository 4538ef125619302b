// SPDX-License-Identifier: Apache-2.0
// Trust: by what a NIC tells the priority of a received frame.
#pragma once

#include "api/model/facts.h"
#include "api/model/profile.h"

namespace rdmaready {

// By what it tells priorities apart first; kAny: by neither. Drivers with a trust table say so themselves. Of
// the others some follow a rule of their own, which is known by name:
//  - mlx5_core, ice: with a row of DSCP they trust DSCP, without one PCP;
//  - bnxt_en: gives each row of DSCP to the NIC's own map of DSCP (bnxt_hwrm_queue_dscp2pri_cfg); what it
//  trusts
//    without any is not known.
// Missing for every other driver, and where the rows are not known.
Fact<Profile::Trust> TrustOf(const Fact<Netdev>& netdev);

// A driver without a trust table whose rule, as above, needs the rows.
bool TrustFollowsRows(const Netdev& netdev);

}  // namespace rdmaready
