// SPDX-License-Identifier: Apache-2.0
// What the checks of ets.* have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "checks/check.h"
#include "checks/dcb/ets_plan.h"

namespace rdmaready {

inline constexpr std::string_view kEtsSource = "dcbnl IEEE ETS";

// The complete configuration that the profile wants, as one command.
inline constexpr std::string_view kEtsGenericFix =
    "dcb ets set dev {netdev} tc-tsa all:strict 0:ets {priority}:ets tc-bw all:0 0:50 {priority}:50 prio-tc "
    "all:0 "
    "{priority}:{priority}";

// The priority of congestion notifications: the profile's, else what the NIC says, else what ConnectX firmware
// comes with (CNP_802P_PRIO 6).
std::optional<std::uint8_t> CnpPriorityOf(const EthernetView& view);

// Why no share of the link concerns the port under this profile; empty when one does.
std::string EtsNotApplicable(const EthernetView& view);

// The command that makes of `ets` what the profile wants. Only where EtsNotApplicable is silent.
std::string EtsFix(const EthernetView& view, const Ets& ets);

}  // namespace rdmaready
