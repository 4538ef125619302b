// SPDX-License-Identifier: Apache-2.0
// NVMe proof: a subsystem connected by this host's own initiator, the start of its disk read, disconnected
// again.
#pragma once

#include "agent/probe/prover.h"

namespace rdmaready {

// False where it was not connected. Takes nothing down that it did not make; what proofs of dead processes left
// is the caller's to sweep before (nvme_leftovers.h).
bool ProveNvme(const KernelProof& proof, Walk& walk);

}  // namespace rdmaready
