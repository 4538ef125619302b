// SPDX-License-Identifier: Apache-2.0
// HistoryRun: what some hosts remember, and what changed from run to run. A value: renderers read it.
#pragma once

#include <string>
#include <vector>

#include "api/model/history.h"
#include "checks/run_changes.h"
#include "cli/exit_status.h"

namespace rdmaready {

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

}  // namespace rdmaready
