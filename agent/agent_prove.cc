// SPDX-License-Identifier: Apache-2.0
// Agent::Probe's proofs: who may make them, and what is asked of the prover.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "agent/agent.h"
#include "agent/agent_events.h"
#include "agent/proof/kernel_proof.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

bool Done(const ProbeResult& result, std::string_view name) {
  const auto step = std::ranges::find(result.steps, name, &ProbeStep::name);
  return step != result.steps.end() && step->outcome == StepOutcome::kDone;
}

}  // namespace

// Allowed to do it itself, the agent reads the evidence as it reads everything of the host: what does not
// answer holds nobody else up.
std::shared_ptr<Prover> Agent::MakeProver() {
  if (!config_.allow_proofs) return config_.prover;
  return InProcessProver(
      {.evidence =
           [this](const KernelProof& proof) {
             const auto read = [address = proof.address, device = proof.device, number = proof.device_port](
                                   HostReader& host) { return ReadEvidence(host, address, device, number); };
             return worker_.Read<ShareEvidence>(read).value_or(ShareEvidence());
           },
       .leftovers = [events = config_.events](const auto& found) { TellOfLeftovers(events, found); }});
}

absl::StatusOr<std::string> Agent::MayProve(const ProbeQuestion& question) const {
  if (prover_ == nullptr) {
    return absl::PermissionDeniedError(fmt::format(
        "{}this agent makes no proofs: they attach disks and mount file systems. Root may let rdmaready-prover "
        "make those that /etc/rdmaready/proofs.yaml names, or start the agent with --allow-proofs",
        kNotAllowed));
  }
  return prover_->Admit({.protocol = question.protocol,
                         .server = question.target,
                         .port_number = question.port_number,
                         .volume = question.volume,
                         .credentials = !question.credentials.user_name.empty()});
}

bool Agent::ProveByKernel(KernelProof proof, const ProbeQuestion& question, const ProbePath& path,
                          Walk& walk) const {
  proof.server = question.target;
  proof.device = path.port.device;
  proof.device_port = path.port.number;
  return prover_->Prove(proof, walk);
}

void Agent::ProveOnShare(const ProbeQuestion& question, const ProbePath& path, Walk& walk,
                         const std::function<void()>& free_port) const {
  KernelProof proof{.protocol = Protocol::kSmb,
                    .address = path.address,
                    .port_number = static_cast<std::uint16_t>(question.port_number),
                    .local_address = path.port.address,
                    .volume = question.volume,
                    .credentials = question.credentials};
  if (Done(walk.result(), kStepSmb2Negotiate) && ProveByKernel(proof, question, path, walk)) return;
  free_port();  // what follows goes by TCP
  proof.inquire = true;
  ProveByKernel(std::move(proof), question, path, walk);
}

}  // namespace rdmaready
