// SPDX-License-Identifier: Apache-2.0
// HistoryRun: what some hosts remember, and what changed from run to run. A value: renderers read it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/model/history.h"
#include "cli/exit_status.h"

namespace rdmaready {

// Against what was last known of the same check on the same subject under the same profile.
struct RunChanges {
  std::vector<Finding>
      newly_failing{};  // also what can no longer be determined and keeps the host from being ready
  std::vector<Finding> newly_passing{};
};

struct HostHistory {
  std::string host{};   // as the caller named it
  std::string error{};  // why there is no history; empty when there is
  ExitStatus failure = ExitStatus::kOk;
  History history{};
  std::vector<RunChanges> changes{};  // one for each of history.runs
};

struct HistoryRun {
  bool with_texts = false;  // the findings have all that a report has; else only what a list needs
  std::vector<HostHistory> hosts{};
};

// What prevents readiness: failed, or unknown where that blocks. What follows from another finding does not.
bool StandsInTheWay(const Finding& finding);

// For each run what changed; `runs` are newest first, and the more of them the better the oldest is known. What
// was never judged before has not changed.
std::vector<RunChanges> ChangesOf(std::span<const RunRecord> runs);

}  // namespace rdmaready
