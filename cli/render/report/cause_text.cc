// SPDX-License-Identifier: Apache-2.0
#include "cli/render/report/cause_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "api/model/recorded_gap.h"
#include "checks/judge.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/report/remedy_notes.h"

namespace rdmaready {
namespace {

constexpr std::size_t kCauseColumn = 10;

std::string_view LabelOf(const Finding& finding) {
  switch (finding.outcome) {
    case Outcome::kFail:
      return finding.blocking ? "WRONG" : "WARNING";
    case Outcome::kWarn:
      return "WARNING";
    case Outcome::kUnknown:
    case Outcome::kPass:
    case Outcome::kNotApplicable:
      return "UNKNOWN";
  }
  return "UNKNOWN";
}

Tone ToneOfCause(const Finding& finding) {
  return finding.outcome == Outcome::kFail && finding.blocking ? Tone::kBad : Tone::kWarning;
}

std::string_view LabelOf(Certainty certainty) {
  switch (certainty) {
    case Certainty::kCertain:
      return "CAUSE";
    case Certainty::kPossible:
      return "POSSIBLY";
    case Certainty::kUnknown:
    case Certainty::kLikely:
      return "LIKELY";
  }
  return "LIKELY";
}

// "mlx5_[0-7]/1: down, wanted active  (link.state, read from RDMA netlink)".
std::string WrongText(const Cause& cause) {
  const Finding& finding = *cause.finding;
  std::string text = Printable(Sentence(finding));
  const std::string& port = cause.ports.empty() ? std::string() : cause.ports.front();
  const bool named = cause.ports.size() == 1 && (text.starts_with(port + " ") || text.starts_with(port + ":"));
  if (cause.ids.size() > 1) text = Printable(finding.observed);
  if (const std::string_view gap = RecordedGapOf(finding.observed); !gap.empty())
    return fmt::format("{}: {}  ({})", CountText(cause.ids.size(), "check"), Printable(gap), cause.IdsText());
  if (!cause.ports.empty() && !named) text = cause.PortsText() + ": " + text;
  if (!finding.profile.empty()) text = Printable(finding.profile) + ": " + text;
  const std::string source = finding.source.empty() ? "" : ", read from " + Printable(finding.source);
  return fmt::format("{}  ({}{})", text, cause.IdsText(), source);
}

std::string StepText(const RemedyStep& step) {
  if (!step.command.empty()) return Printable(step.command);
  return ActionText(step);
}

// A command stays in one line: it is typed.
std::string StepLine(const Style& style, std::string_view label, const RemedyStep& step,
                     const std::string& number) {
  if (step.command.empty()) return LabelledLine(style, Tone::kStrong, label, number + StepText(step));
  return style.Paint(Tone::kStrong, Column(label, kCauseColumn)) + number + StepText(step) + "\n";
}

std::string StepsText(const Style& style, const Remedy& remedy) {
  std::string text;
  for (std::size_t i = 0; i < remedy.steps.size(); ++i) {
    const std::string number = remedy.steps.size() > 1 ? fmt::format("{}  ", i + 1) : "";
    text += StepLine(style, i == 0 ? "DO" : "", remedy.steps[i], number);
  }
  return text;
}

std::string CautionsText(const Style& style, const Remedy& remedy) {
  std::string text;
  if (!remedy.owner.empty())
    text += LabelledLine(style, Tone::kFaint, "OWNER", Printable(remedy.owner) + " keeps this setting");
  for (const std::string& caution : remedy.cautions)
    text += LabelledLine(style, Tone::kWarning, "CAUTION", Printable(caution));
  return text;
}

std::vector<std::string> AlternativesOf(const Cause& cause) {
  std::vector<std::string> all = cause.finding->remedy->alternatives;
  for (const Cause& other : cause.also) {
    for (const std::string& one : other.finding->remedy->alternatives) {
      if (std::ranges::find(all, one) == all.end()) all.push_back(one);
    }
  }
  return all;
}

std::string RemedyText(const Style& style, const Cause& cause) {
  const Remedy& remedy = *cause.finding->remedy;
  std::string text;
  if (!remedy.cause.empty())
    text += LabelledLine(style, Tone::kStrong, LabelOf(remedy.certainty), Printable(remedy.cause));
  for (const std::string& other : remedy.ruled_out)
    text +=
        LabelledLine(style, Tone::kFaint, &other == &remedy.ruled_out.front() ? "NOT" : "", Printable(other));
  text += CautionsText(style, remedy) + StepsText(style, remedy);
  for (const std::string& other : AlternativesOf(cause))
    text += LabelledLine(style, Tone::kStrong, "OR", Printable(other));
  if (!remedy.check.empty())
    text += style.Paint(Tone::kStrong, Column("CHECK", kCauseColumn)) + Printable(remedy.check) + "\n";
  return text;
}

std::string OthersText(const Cause& cause) {
  if (cause.ports.size() < 2) return {};
  std::vector<std::string> others(cause.ports.begin() + 1, cause.ports.end());
  Cause rest{.finding = cause.finding, .ports = std::move(others)};
  return "the same at " + rest.PortsText() + ", with its names (-v has them)";
}

std::string HeadText(const Style& style, const Cause& cause, const std::string& on) {
  std::string text =
      LabelledLine(style, ToneOfCause(*cause.finding), LabelOf(*cause.finding), WrongText(cause));
  for (const Cause& other : cause.also)
    text += LabelledLine(style, ToneOfCause(*other.finding), "AND", WrongText(other));
  if (!on.empty()) text += LabelledLine(style, Tone::kPlain, "ON", on);
  return text;
}

}  // namespace

std::string LabelledLine(const Style& style, Tone tone, std::string_view label, std::string_view text) {
  return Labelled(style, tone, label, kCauseColumn, text);
}

std::string CauseText(const Style& style, const Cause& cause, const std::string& on) {
  const Finding& finding = *cause.finding;
  std::string text = HeadText(style, cause, on);
  const bool explained = finding.remedy && !finding.remedy->cause.empty();
  if (!explained && !finding.why.empty())
    text += LabelledLine(style, Tone::kFaint, "WHY", Printable(finding.why));
  if (finding.remedy) text += RemedyText(style, cause);
  if (const std::string others = OthersText(cause); finding.remedy && !others.empty())
    text += LabelledLine(style, Tone::kFaint, "", others);
  if (cause.follow > 0)
    text += LabelledLine(style, Tone::kFaint, "THEN",
                         CountText(cause.follow, "check") + " not judged because of this: check again");
  return text;
}

std::string CauseInALine(const Style& style, const Cause& cause, const std::string& on) {
  return HeadText(style, cause, on);
}

std::string CauseInBrief(const Style& style, const Cause& cause, const std::string& on) {
  std::string text = HeadText(style, cause, on);
  if (!cause.finding->remedy) return text;
  const Remedy& remedy = *cause.finding->remedy;
  text += CautionsText(style, remedy);
  return text + StepLine(style, "DO", remedy.steps.front(), "");
}

}  // namespace rdmaready
