// SPDX-License-Identifier: Apache-2.0
#include "api/base/plan_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "api/base/digest.h"

namespace rdmaready {

namespace {

// With its length before each part: no two lists of parts make one text.
void AddLine(std::initializer_list<std::string_view> parts, std::string& text) {
  for (const std::string_view part : parts) text += fmt::format("{}:{},", part.size(), part);
  text += '\n';
}

}  // namespace

absl::StatusOr<std::string> PlanDigest(const Plan& plan) {
  const bool has_files = std::ranges::any_of(plan.persist, &PersistFile::by_apply);
  std::string text = has_files ? "rdmaready plan 2\n" : "rdmaready plan 1\n";
  for (const PlanStep& step : plan.steps)
    AddLine({NameOf(step.object.kind), step.object.where, step.object.name, step.from, step.to}, text);
  for (const PersistFile& file : plan.persist)
    if (file.by_apply) AddLine({"file", file.path, file.content}, text);
  return Sha256(text);
}

}  // namespace rdmaready
