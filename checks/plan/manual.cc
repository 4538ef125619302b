// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/manual.h"

#include <algorithm>
#include <string_view>

#include "checks/words/ethernet.h"

namespace rdmaready {
namespace {

constexpr std::string_view kHost = "host";  // the subject of a setting that belongs to no port

template <class Part>
bool IsServed(const std::vector<Part>& parts, const Finding& finding) {
  return std::ranges::any_of(parts, [&finding](const Part& part) {
    const bool there =
        finding.scope == Scope::kHost || part.subject == kHost || SamePlace(part.subject, finding.subject);
    return there && std::ranges::find(part.mends, finding.id) != part.mends.end();
  });
}

std::vector<std::string> StepsOf(const Finding& finding) {
  std::vector<std::string> steps;
  if (!finding.remedy) return steps;
  for (const RemedyStep& step : finding.remedy->steps)
    steps.push_back(step.command.empty() ? step.action : step.command);
  return steps;
}

}  // namespace

std::vector<PlanManual> ManualOf(const Plan& plan, std::span<const Finding> findings) {
  std::vector<PlanManual> manual;
  for (const Finding& finding : findings) {
    if (finding.outcome != Outcome::kFail || !finding.blocking || finding.waived) continue;
    if (IsServed(plan.steps, finding) || IsServed(plan.refusals, finding) || IsServed(plan.pending, finding))
      continue;
    manual.push_back({.id = finding.id,
                      .subject = finding.subject,
                      .observed = finding.observed,
                      .steps = StepsOf(finding)});
  }
  return manual;
}

}  // namespace rdmaready
