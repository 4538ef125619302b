// SPDX-License-Identifier: Apache-2.0
// PastAddress: the address that a port had in an earlier run of its host. A remedy that asks for an address and
// stands for a port which lost its own names that one. Pure.
#pragma once

#include <span>
#include <vector>

#include "api/model/history.h"
#include "api/model/report.h"

namespace rdmaready {

// Whether a remedy among them asks for an address of a port that has none now.
bool AskForAddress(std::span<const Finding> findings);

// Writes the address into those remedies, and who has to be asked before it is given again. `earlier` are
// newest first. A port that had no address in any of them keeps its remedy.
void FillInPastAddress(std::span<const RunRecord> earlier, std::vector<Finding>& findings);

}  // namespace rdmaready
