// SPDX-License-Identifier: Apache-2.0
// One function for each protocol: its rows for AllProbeChecks().
#pragma once

#include <vector>

#include "checks/probe/probe.h"

namespace rdmaready {

std::vector<ProbeCheck> SmbServerChecks();
std::vector<ProbeCheck> ShareChecks();  // those of SMB's proof, on Rung::kShare
std::vector<ProbeCheck> NvmeServerChecks();
std::vector<ProbeCheck> IserServerChecks();
std::vector<ProbeCheck> NfsServerChecks();

}  // namespace rdmaready
