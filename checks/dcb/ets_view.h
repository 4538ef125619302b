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

// The command that shows whether it is set.
inline constexpr std::string_view kShowEts = "dcb ets show dev {netdev}";

// The priority of congestion notifications: the profile's, else what the NIC says, else what ConnectX firmware
// comes with (CNP_802P_PRIO 6).
std::optional<std::uint8_t> CnpPriorityOf(const EthernetView& view);

// The default class, RDMA's, and the heartbeat's where one is asked for.
unsigned NeededClasses(const Profile& profile);

// May be served before the others: what is small and must never wait, or what the profile has so.
bool IsUrgent(const EthernetView& view, std::uint8_t priority);

// Priorities that the profile has a class for, where it does not name all classes.
bool HasPlannedClass(const EthernetView& view, std::uint8_t priority);

// Why no share of the link concerns the port under this profile; empty when one does.
std::string EtsNotApplicable(const EthernetView& view);

// The classes that the profile wants where those of `ets` are: no more differs than must. As they are wanted
// they stay. Only where EtsNotApplicable is silent.
EtsPlan WantedEts(const EthernetView& view, const Ets& ets);

// The command that makes of `ets` what the profile wants. Only where EtsNotApplicable is silent.
std::string EtsFix(const EthernetView& view, const Ets& ets);

// bnxt_en takes no PFC before classes are set once (bnxt_hwrm_queue_pfc_cfg): those that it is given then,
// where none were and lossless priorities are asked for. Nothing where that is not so.
std::optional<EtsPlan> ClassesBeforePfc(const EthernetView& view);

}  // namespace rdmaready
