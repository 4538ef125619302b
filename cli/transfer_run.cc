// SPDX-License-Identifier: Apache-2.0
#include "cli/transfer_run.h"

namespace rdmaready {

ExitStatus StatusOf(const TransferRun& run) {
  const bool incomplete = run.rows.empty() || !run.store_errors.empty();
  ExitStatus status = incomplete ? ExitStatus::kOwnFailure : ExitStatus::kOk;
  for (const TransferRow& row : run.rows) {
    for (const Finding& finding : row.findings) {
      if (finding.outcome == Outcome::kFail) status = Worse(status, ExitStatus::kNotReady);
      if (finding.outcome == Outcome::kUnknown) status = Worse(status, ExitStatus::kOwnFailure);
    }
  }
  return status;
}

}  // namespace rdmaready
