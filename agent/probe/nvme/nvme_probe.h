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

// Tells who this host said it is ("nvme-host-nqn"), the controller's limits ("nvme-..."), and each subsystem
// that was listed, kMostSubsystems of them: "nvme-subsystem-1" its NQN, "nvme-subsystem-1-at" its place ("rdma
// 10.0.0.2:4420"); how many there are ("nvme-subsystems"), and of those over RDMA ("nvme-rdma-subsystems"). The
// proof tells which controllers of this host stood in its way ("nvme-already-connected").
inline constexpr std::size_t kMostSubsystems = 32;
void ProbeNvme(const ProbeTarget& target, const ProbeTools& tools, Walk& walk);

}  // namespace rdmaready
