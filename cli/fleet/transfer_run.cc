// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/transfer_run.h"

#include <fmt/format.h>

namespace rdmaready {

// Of rxe and siw in Linux 6.12: rxe_av keeps the traffic class and puts it into the IP header, and has no
// member for a service level; nothing in siw looks at the ToS of a connection.
std::string MarkingText(const TransferResult& result, bool software) {
  if (result.transport.empty() || result.depth == 0) return {};
  const Marking& marking = result.marking;
  std::string text = marking.tos ? fmt::format("ToS {}", *marking.tos) : "ToS left to RDMA-CM";
  if (marking.traffic_class) text += fmt::format(", traffic class {}", *marking.traffic_class);
  if (software) {
    return text + (result.transport == "iwarp" ? " (siw sends unmarked whatever is asked)"
                                               : " (rxe has no service level)");
  }
  if (marking.service_level) text += fmt::format(", service level {}", *marking.service_level);
  return text;
}

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
