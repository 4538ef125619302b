// SPDX-License-Identifier: Apache-2.0
#include "api/base/plan_digest.h"

#include <fmt/format.h>

#include <string_view>

#include "api/base/digest.h"

namespace rdmaready {

absl::StatusOr<std::string> PlanDigest(const Plan& plan) {
  std::string text = "rdmaready plan 1\n";
  for (const PlanStep& step : plan.steps) {
    // With its length before each part: no two lists of parts make one text.
    for (const std::string_view part :
         {NameOf(step.object.kind), std::string_view(step.object.where), std::string_view(step.object.name),
          std::string_view(step.from), std::string_view(step.to)}) {
      text += fmt::format("{}:{},", part.size(), part);
    }
    text += '\n';
  }
  return Sha256(text);
}

}  // namespace rdmaready
