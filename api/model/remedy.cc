// SPDX-License-Identifier: Apache-2.0
#include "api/model/remedy.h"

#include <algorithm>

namespace rdmaready {
namespace {

constexpr std::string_view kComment = "  # ";

}  // namespace

std::size_t BytesOf(const Remedy& remedy) {
  std::size_t bytes = remedy.cause.size() + remedy.check.size() + remedy.owner.size();
  for (const std::string& other : remedy.ruled_out) bytes += other.size();
  for (const std::string& caution : remedy.cautions) bytes += caution.size();
  for (const RemedyStep& step : remedy.steps) bytes += step.command.size() + step.action.size();
  for (const std::string& other : remedy.alternatives) bytes += other.size();
  return bytes;
}

bool IsWithinLimits(const Remedy& remedy) {
  return remedy.steps.size() <= kMostRemedySteps && remedy.cautions.size() <= kMostRemedySteps &&
         remedy.alternatives.size() <= kMostRemedySteps && remedy.ruled_out.size() <= kMostRemedySteps &&
         BytesOf(remedy) <= kMostRemedyBytes;
}

std::string FirstCommand(const Remedy& remedy) {
  const auto first =
      std::ranges::find_if(remedy.steps, [](const RemedyStep& step) { return !step.command.empty(); });
  return first == remedy.steps.end() ? std::string() : first->command;
}

Remedy RemedyOfFix(std::string_view fix) {
  Remedy remedy;
  if (fix.starts_with("# ")) {
    remedy.steps.push_back({.action = std::string(fix.substr(2))});
    return remedy;
  }
  const std::size_t comment = fix.find(kComment);
  if (!fix.empty()) remedy.steps.push_back({.command = std::string(fix.substr(0, comment))});
  if (comment != std::string_view::npos) remedy.cautions.emplace_back(fix.substr(comment + kComment.size()));
  return remedy;
}

}  // namespace rdmaready
