// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/nvme/nvme_proof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/link/failure.h"
#include "agent/probe/nvme/nvme_identity.h"
#include "agent/probe/nvme/nvme_kernel.h"
#include "agent/probe/nvme/nvme_leftovers.h"
#include "agent/probe/nvme/nvme_sysfs.h"
#include "api/base/status.h"
#include "api/model/probe_walk.h"

namespace rdmaready {
namespace {

using std::chrono::seconds;

absl::StatusOr<nvme::Kernel> ConnectKernel(const KernelProof& proof, Walk& walk) {
  const std::string& subsystem = proof.volume;
  if (!nvme::IsName(subsystem)) return MakeFailure(FailureKind::kSetup, subsystem + ": not a subsystem's NQN");
  const std::vector<std::string> already = nvme::ControllersOf(subsystem);
  if (!already.empty()) walk.answers().nvme.already_connected = fmt::format("{}", fmt::join(already, " "));
  const Endpoint at{.address = proof.address, .port = proof.port_number};
  return nvme::Kernel::Connect(
      nvme::KernelOptions(at, proof.local_address, nvme::ReadIdentity(), subsystem, nvme::MarkOf(::getpid())),
      subsystem, *walk.watch().clock);
}

}  // namespace

bool ProveNvme(const KernelProof& proof, Walk& walk) {
  NvmeAnswers& answers = walk.answers().nvme;
  std::optional<nvme::Kernel> kernel;
  const bool connected = walk.Step(kStepNvmeKernelConnect, seconds(20), [&](const Patience&) {
    absl::StatusOr<nvme::Kernel> made = ConnectKernel(proof, walk);
    if (made.ok()) kernel.emplace(std::move(*made));
    return made.status();
  });
  if (!connected) return false;
  answers.kernel_controller = kernel->controller();
  answers.kernel_transport = kernel->Transport();
  walk.Step(kStepNvmeKernelRead, seconds(30), [&](const Patience& patience) {
    RR_ASSIGN_OR_RETURN(const nvme::NamespaceDevice device, kernel->FindNamespace(patience));
    answers.namespace_bytes = device.size_bytes;
    answers.namespace_block = device.block_bytes;
    return nvme::ReadNamespace(device, walk.result().transfers.emplace_back(), patience);
  });
  walk.Step(kStepNvmeKernelDisconnect, seconds(10),
            [&](const Patience& patience) { return kernel->Disconnect(patience); });
  return true;
}

}  // namespace rdmaready
