// SPDX-License-Identifier: Apache-2.0
#include "api/base/plan_digest.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>

#include "api/base/digest.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

// With its length before each part: no two lists of parts make one text.
void AddLine(std::initializer_list<std::string_view> parts, std::string& text) {
  for (const std::string_view part : parts) text += fmt::format("{}:{},", part.size(), part);
  text += '\n';
}

}  // namespace

absl::StatusOr<std::string> PlanDigest(const Plan& plan) {
  std::string text = plan.persist_from_applier ? "rdmaready plan 2\n" : "rdmaready plan 1\n";
  for (const PlanStep& step : plan.steps)
    AddLine({NameOf(step.object.kind), step.object.where, step.object.name, step.from, step.to}, text);
  if (!plan.persist_from_applier) return Sha256(text);
  for (const PersistFile& file : plan.persist) {
    if (!file.by_apply) continue;
    RR_ASSIGN_OR_RETURN(const std::string content, Sha256(file.content));
    AddLine({"file", file.path, content}, text);
  }
  return Sha256(text);
}

}  // namespace rdmaready
