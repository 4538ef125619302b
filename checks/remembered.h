// SPDX-License-Identifier: Apache-2.0
// Makes Remembered from the runs of a host. Pure.
#pragma once

#include <span>

#include "api/model/history.h"
#include "api/model/remembered.h"

namespace rdmaready {

// The earlier runs that count: three hours of an agent's own checks.
inline constexpr int kRunsRemembered = 12;

// `earlier` are newest first.
Remembered RememberedOf(const RunRecord& now, std::span<const RunRecord> earlier);

// Keeps the findings and the fields that RememberedOf reads of an earlier run. `older`: the runs before it,
// already reduced. RememberedOf says the same of runs that were all reduced, the oldest first.
RunRecord ReducedRun(const RunRecord& run, std::span<const RunRecord> older);

}  // namespace rdmaready
