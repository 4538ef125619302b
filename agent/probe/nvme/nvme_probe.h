// SPDX-License-Identifier: Apache-2.0
// The way of an NVMe over Fabrics host over RDMA: to the discovery controller and what it lists. The proof
// connects to the subsystem that the caller named (without a name its steps are not reached), first by
// ourselves, because the target's reason is heard then, and afterwards by this host's own initiator, and reads
// its first namespace.
#pragma once

#include <string_view>
#include <vector>

#include "agent/probe/probe.h"

namespace rdmaready {

std::vector<std::string_view> NvmeSteps();
std::vector<std::string_view> NvmeProofSteps();

// Tells NvmeHost, RdmaAnswers and NvmeAnswers; of the subsystems that are listed, the first kMostSubsystems
// by name.
inline constexpr std::size_t kMostSubsystems = 32;
void ProbeNvme(const ProbeTarget& target, const ProbeTools& tools, Walk& walk);

}  // namespace rdmaready
