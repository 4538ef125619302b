// SPDX-License-Identifier: Apache-2.0
// What a profile says of classes, marks and lossless priorities, for both ends of a link: hosts and their
// plans, and the switch side (cli/switch).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "api/model/profile.h"

namespace rdmaready {

// Ascending; empty where the profile asks for none, or for PFC to be off.
std::vector<std::uint8_t> LosslessPriorities(const Profile& profile);

// DSCP -> priority: RDMA's, then that of congestion notifications. Empty where priorities are told by PCP, or
// the profile has no mark for RDMA.
std::vector<std::pair<std::uint8_t, std::uint8_t>> DscpPrioritiesOf(const Profile& profile);

// All classes: those that the profile lists, else one for RDMA, one for the heartbeat and one for the rest. A
// class without a share is strict where shares are asked for (ets_rdma_percent).
std::vector<Profile::EtsClass> ClassesOf(const Profile& profile);

}  // namespace rdmaready
