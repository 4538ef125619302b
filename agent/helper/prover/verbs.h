// SPDX-License-Identifier: Apache-2.0
// What rdmaready-prover does for the agent: proofs on the targets that root's own file names, and on no other.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "agent/helper/verb.h"
#include "agent/probe/prover.h"
#include "api/base/clock.h"

namespace rdmaready::helper {

struct ProverOptions {
  std::string proofs_file{};
  ::uid_t owner = 0;  // whose that file must be
  // Makes KernelSteps of the proof on this host (MakeKernelProof); `leftovers` gets a line for each that was
  // swept. Blocks.
  std::function<bool(const KernelProof& proof, Walk& walk, std::vector<std::string>& leftovers)> make{};
  // Whether an address is one of this host's.
  std::function<bool(const std::string& address)> is_own{};
  Clock* clock = &RealClock();  // of the proofs
};

// `admit` and `prove`; see order.h. The file is read for each question, so what root changes counts at once. One
// proof at a time: kUnavailable for the next one.
std::vector<Verb> ProverVerbs(ProverOptions options);

// By the addresses of the interfaces in this network namespace.
bool IsOwnAddress(const std::string& address);

}  // namespace rdmaready::helper
