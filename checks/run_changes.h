// SPDX-License-Identifier: Apache-2.0
// RunChanges: what changed from one run of a host to the next. Pure.
#pragma once

#include <span>
#include <vector>

#include "api/model/history.h"
#include "api/model/remembered.h"

namespace rdmaready {

// Against what was last known of the same check on the same subject under the same profile.
struct RunChanges {
  std::vector<Finding>
      newly_failing{};  // also what can no longer be determined and keeps the host from being ready
  std::vector<Finding> newly_passing{};
  std::vector<Standing> standing{};  // neither
};

// True for a finding that failed, or that is unknown and blocks. A finding that follows from another never
// does.
bool PreventsReadiness(const Finding& finding);

// The changes of each run; `runs` are newest first, and the more of them the better the oldest is known. A
// check that was never judged before has not changed.
std::vector<RunChanges> ChangesOf(std::span<const RunRecord> runs);

}  // namespace rdmaready
