// SPDX-License-Identifier: Apache-2.0
// The way of an iSCSI initiator over iSER: a discovery session and what SendTargets lists. The proof logs in to
// one target, reads the start of its first unit by RDMA, each part twice, and compares.
#pragma once

#include <string_view>
#include <vector>

#include "agent/probe/probe.h"

namespace rdmaready {

std::vector<std::string_view> IserSteps();
std::vector<std::string_view> IserProofSteps();

// Tells IserInitiator, RdmaAnswers and IserAnswers; of the targets that are listed, the first kMostTargets
// by name.
inline constexpr std::size_t kMostTargets = 32;
void ProbeIser(const ProbeTarget& target, const ProbeTools& tools, Walk& walk);

}  // namespace rdmaready
