// SPDX-License-Identifier: Apache-2.0
// The kernel's part of a proof, made by this process: see agent/probe/prover.h.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "agent/probe/nvme/nvme_leftovers.h"
#include "agent/probe/prover.h"
#include "agent/share/evidence.h"

namespace rdmaready {

struct ProofTools {
  // ReadEvidence for the server and the port of the proof; of SMB.
  std::function<ShareEvidence(const KernelProof& proof)> evidence{};
  // Hears what proofs of dead processes had left, once it was taken down. May be empty.
  std::function<void(const std::vector<nvme::Leftover>& leftovers)> leftovers{};
};

// Makes KernelSteps(proof). False where the first of them was not done.
bool MakeKernelProof(const KernelProof& proof, const ProofTools& tools, Walk& walk);

// By the rights of this process, on whatever server and volume a caller names. What may be proven is not asked:
// SMB needs the name of a share and credentials.
std::shared_ptr<Prover> InProcessProver(ProofTools tools);

}  // namespace rdmaready
