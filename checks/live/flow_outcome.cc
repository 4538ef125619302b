// SPDX-License-Identifier: Apache-2.0
#include "checks/live/flow_outcome.h"

#include "checks/words/words.h"

namespace rdmaready {

bool Came(const StressFlow& flow) {
  return flow.result.failure.kind == FailureKind::kNone && flow.result.bytes_wrong == 0 &&
         flow.result.messages > 0;
}

bool ShowsAFault(const StressFlow& flow) {
  const FailureKind kind = flow.result.failure.kind;
  const bool given_up = kind == FailureKind::kCancelled || kind == FailureKind::kUnknown;
  return flow.result.bytes_wrong > 0 || (!Came(flow) && !given_up);
}

std::string WhyFailed(const StressFlow& flow) {
  if (Came(flow)) return {};
  if (flow.result.bytes_wrong > 0) return "bytes arrived wrong";
  if (flow.result.failure.kind == FailureKind::kNone) return "nothing was moved";
  const std::string why = Printable(flow.result.failure.detail);
  return why.empty() ? std::string("it failed") : why;
}

}  // namespace rdmaready
