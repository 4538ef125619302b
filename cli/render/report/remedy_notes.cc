// SPDX-License-Identifier: Apache-2.0
#include "cli/render/report/remedy_notes.h"

#include <fmt/format.h>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string CauseText(const Remedy& remedy) {
  const std::string cause = Printable(remedy.cause);
  return remedy.certainty == Certainty::kPossible ? "possibly " + cause : cause;
}

std::string StepNote(const Style& style, std::string_view label, const RemedyStep& step,
                     const std::string& number) {
  if (!step.command.empty()) return CommandNote(style, label, number + Printable(step.command));
  return Note(style, label, number + ActionText(step));
}

}  // namespace

std::string ActionText(const RemedyStep& step) {
  const bool names_it = step.action.find("switch") != std::string::npos;
  return (step.site == StepSite::kSwitch && !names_it ? "at the switch: " : "") + Printable(step.action);
}

std::string RemedyNotes(const Style& style, const Remedy& remedy) {
  std::string text;
  if (!remedy.cause.empty()) text += Note(style, "cause", CauseText(remedy));
  for (const std::string& other : remedy.ruled_out) text += Note(style, "not", Printable(other));
  for (const std::string& caution : remedy.cautions) text += Note(style, "caution", Printable(caution));
  for (std::size_t i = 0; i < remedy.steps.size(); ++i) {
    const std::string number = remedy.steps.size() > 1 ? fmt::format("{}  ", i + 1) : "";
    text += StepNote(style, i == 0 ? "fix" : "", remedy.steps[i], number);
  }
  for (const std::string& other : remedy.alternatives) text += Note(style, "or", Printable(other));
  if (!remedy.check.empty()) text += CommandNote(style, "check", Printable(remedy.check));
  return text;
}

}  // namespace rdmaready
