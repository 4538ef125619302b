// SPDX-License-Identifier: Apache-2.0
// rdmaready-prover: mounts and connects what root's file names, for as long as a proof takes.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "agent/helper/program.h"
#include "agent/helper/prover/proofs_file.h"
#include "agent/helper/prover/verbs.h"
#include "agent/proof/kernel_proof.h"
#include "api/base/status.h"
#include "collectors/real/host.h"

namespace rdmaready {
namespace {

std::string LeftoverLine(const nvme::Leftover& leftover) {
  return fmt::format("nvme-leftover controller={} subsystem={} {}", leftover.controller, leftover.subsystem_name,
                     leftover.removed.ok() ? "disconnected: a proof that was ended by force left it"
                                           : "still there: " + Message(leftover.removed));
}

// What proofs that were ended by force left. It may take as long as a server that is gone keeps the kernel
// waiting: nobody waits for it, and the end of the process ends it.
void Sweep() {
  std::thread([leftovers = nvme::FindLeftovers(nvme::Moment::kStart)] {
    for (const nvme::Leftover& leftover : nvme::RemoveLeftovers(leftovers))
      std::fprintf(stderr, "rdmaready-prover: %s\n", LeftoverLine(leftover).c_str());
  }).detach();
}

bool MakeHere(const KernelProof& proof, Walk& walk, std::vector<std::string>& lines) {
  RealHost host;
  const ProofTools tools{
      .evidence =
          [&](const KernelProof& of) { return ReadEvidence(host, of.address, of.device, of.device_port); },
      .leftovers =
          [&](const std::vector<nvme::Leftover>& leftovers) {
            for (const nvme::Leftover& leftover : leftovers) lines.push_back(LeftoverLine(leftover));
          }};
  return MakeKernelProof(proof, tools, walk);
}

int Main(int argc, char** argv) {
  std::string proofs_file(helper::kProofsFile);
  return helper::RunProgram(
      {.name = "rdmaready-prover",
       .description = "Mounts and connects volumes of storage servers, those that root's file names, to prove to "
                      "the agent that they work over RDMA.",
       .options = {{"proofs", "the file that names what may be proven", &proofs_file}},
       .verbs = [&]() -> absl::StatusOr<std::vector<helper::Verb>> {
         Sweep();
         return helper::ProverVerbs({.proofs_file = proofs_file,
                                     .owner = ::geteuid(),
                                     .make = &MakeHere,
                                     .is_own = &helper::IsOwnAddress});
       }},
      argc, argv);
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
