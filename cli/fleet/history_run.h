// SPDX-License-Identifier: Apache-2.0
// HistoryRun: what some hosts remember, and what changed from run to run. A value: renderers read it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/model/history.h"
#include "cli/exit_status.h"

namespace rdmaready {

// What stands in the way now as in the checks before.
struct Standing {
  std::string id{};
  std::string subject{};
  std::int64_t since_unix_ns = 0;  // when the first of them began, of those that are known
  int checks = 0;                  // that found it, one after the other, this one too

  bool operator==(const Standing&) const = default;
};

// Against what was last known of the same check on the same subject under the same profile.
struct RunChanges {
  std::vector<Finding>
      newly_failing{};  // also what can no longer be determined and keeps the host from being ready
  std::vector<Finding> newly_passing{};
  std::vector<Standing> standing{};  // neither
};

struct HostHistory {
  std::string host{};   // as the caller named it
  std::string error{};  // why there is no history; empty when there is
  ExitStatus failure = ExitStatus::kOk;
  History history{};
  std::string audit_head{};  // ApplierStatus::audit_head; empty: no applier says any
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
