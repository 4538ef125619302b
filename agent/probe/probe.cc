// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/probe.h"

#include <algorithm>
#include <utility>

#include "agent/probe/iser/iser_probe.h"
#include "agent/probe/nfs/nfs_probe.h"
#include "agent/probe/nvme/nvme_probe.h"
#include "agent/probe/smb/smb_probe.h"
#include "api/model/probe_walk.h"

namespace rdmaready {

std::span<const ProbeRow> AllProbes() {
  static const std::vector<ProbeRow> kRows{
      {Protocol::kSmb, SmbSteps(), &ProbeSmb},
      {Protocol::kNvme, NvmeSteps(), &ProbeNvme, NvmeProofSteps()},
      {Protocol::kIser, IserSteps(), &ProbeIser, IserProofSteps()},
      {Protocol::kNfs, NfsSteps(), &ProbeNfs, KernelSteps(Protocol::kNfs)},
  };
  return kRows;
}

const ProbeRow* FindProbe(Protocol protocol) {
  const auto found = std::ranges::find(AllProbes(), protocol, &ProbeRow::protocol);
  return found == AllProbes().end() ? nullptr : &*found;
}

ProbeResult BeginProbe(const ProbeRow& row, std::string target, bool prove) {
  ProbeResult result{.protocol = row.protocol, .target = std::move(target)};
  for (const std::string_view step : {kStepResolve, kStepRoute})
    result.steps.push_back({.name = std::string(step)});
  for (const std::string_view step : row.steps) result.steps.push_back({.name = std::string(step)});
  if (!prove) return result;
  for (const std::string_view step : row.proof_steps) result.steps.push_back({.name = std::string(step)});
  return result;
}

}  // namespace rdmaready
