// SPDX-License-Identifier: Apache-2.0
// A plan for people: worst first, as a check's report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/text.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/setting_words.h"
#include "cli/render/text_change.h"

namespace rdmaready {
namespace {

constexpr std::size_t kLabelColumn = 11;  // of the first line of an entry
constexpr std::size_t kNoteColumn = 18;   // of what is said of it below

std::string Entry(const Style& style, Tone tone, std::string_view label, std::string_view text) {
  return Labelled(style, tone, Cat("  ", label), kLabelColumn, Printable(text));
}

std::string PlanNote(const Style& style, std::string_view label, std::string_view text) {
  if (text.empty()) return {};
  return Labelled(style, Tone::kFaint, Cat(std::string(kLabelColumn, ' '), label), kNoteColumn,
                  Printable(text));
}

std::string About(const std::string& subject, const SettingObject& object, const std::string& words) {
  return fmt::format("{}: {}{}{}", subject.empty() ? object.where : subject, SettingName(object),
                     words.empty() ? "" : " ", words);
}

std::string MendsText(const Style& style, const std::vector<std::string>& mends) {
  return PlanNote(style, "mends", fmt::format("{}", fmt::join(mends, ", ")));
}

std::string RefusalText(const PlanRefusal& refusal, const Style& style) {
  const std::string wanted = refusal.wanted.empty() ? "" : "wanted: " + refusal.wanted;
  return Entry(style, Tone::kBad, "refused", About(refusal.subject, refusal.object, wanted)) +
         PlanNote(style, "why", refusal.reason) + PlanNote(style, "do", refusal.advice) +
         MendsText(style, refusal.mends);
}

std::string PlanStepText(const PlanStep& step, std::size_t number, const Style& style) {
  std::string text = Entry(style, Tone::kWarning, fmt::format("set {}", number),
                           About(step.subject, step.object, ChangeWords(step.object, step.from, step.to)));
  if (!step.one_way.empty()) text += PlanNote(style, "one way", step.one_way + " (--allow-one-way)");
  return text + PlanNote(style, "cost", step.disturbance.text) + MendsText(style, step.mends);
}

std::string PendingText(const PlanPending& pending, const Style& style) {
  return Entry(style, Tone::kFaint, "pending",
               About(pending.subject, pending.object, "wanted: " + pending.wanted)) +
         PlanNote(style, "needs", pending.needs) + MendsText(style, pending.mends);
}

std::string ManualText(const PlanManual& manual, const Style& style) {
  std::string text = Entry(style, Tone::kBad, "person",
                           fmt::format("{}: {} ({})", manual.subject, manual.observed, manual.id));
  for (const std::string& step : manual.steps) text += PlanNote(style, "do", step);
  return text;
}

std::string ByHand(const Plan& plan, const Style& style) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& commands) {
    for (const std::string& command : commands) {
      text += style.Paint(Tone::kFaint, Column(text.empty() ? "  by hand" : "", kLabelColumn)) +
              Typed(style, kLabelColumn, Printable(command));
    }
  };
  for (const PlanStep& step : plan.steps) add(step.commands);
  for (const PlanPending& pending : plan.pending) add(pending.commands);
  return text;
}

std::string UnkeptText(const PlanUnkept& unkept, const Style& style) {
  return Entry(style, Tone::kWarning, "no file", unkept.subject + ": none keeps " + unkept.what) +
         PlanNote(style, "again", unkept.again);
}

std::string PersistText(const PersistFile& file, const Style& style) {
  std::string text = Entry(style, Tone::kStrong, "file",
                           Cat(file.path, file.exists_already ? " (there is one)" : "",
                               file.by_apply ? " (by apply --persist)" : "")) +
                     PlanNote(style, "note", file.note);
  std::string_view rest = file.content;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += Cat(std::string(kLabelColumn, ' '), Printable(rest.substr(0, end)), "\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

std::string Count(std::size_t count, std::string_view what) { return fmt::format("{} {}", count, what); }

std::string PlanSummary(const Plan& plan) {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  std::int64_t longest_ms = 0;
  for (const PlanStep& step : plan.steps) longest_ms += step.disturbance.estimate_ms;
  std::vector<std::string> parts;
  if (!plan.steps.empty()) {
    parts.push_back(Count(plan.steps.size(), plan.steps.size() == 1 ? "setting to set" : "settings to set") +
                    (longest_ms > 0 ? ", in about " + DurationText(longest_ms * kNsPerMs) : ""));
  }
  if (!plan.refusals.empty()) parts.push_back(Count(plan.refusals.size(), "refused"));
  if (!plan.unknown.empty()) parts.push_back(Count(plan.unknown.size(), "not known"));
  if (!plan.pending.empty()) parts.push_back(Count(plan.pending.size(), "pending"));
  if (!plan.manual.empty()) parts.push_back(Count(plan.manual.size(), "for a person to do"));
  return parts.empty() ? "nothing to do: no setting differs from what the profile wants"
                       : fmt::format("{}", fmt::join(parts, ", "));
}

std::string HostPlanText(const HostPlan& host, const Style& style) {
  const Plan& plan = *host.plan;
  const std::string dot = fmt::format(" {} ", style.Dot());
  std::string text = style.Paint(Tone::kStrong, Printable(host.host)) +
                     (plan.profiles.empty() ? "" : dot + "profile " + Printable(NamesOf(plan.profiles))) + "\n";
  for (const PlanRefusal& refusal : plan.refusals) text += RefusalText(refusal, style);
  for (const std::string& unknown : plan.unknown) text += Entry(style, Tone::kWarning, "unknown", unknown);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) text += PlanStepText(plan.steps[i], i + 1, style);
  for (const PlanPending& pending : plan.pending) text += PendingText(pending, style);
  for (const PlanManual& manual : plan.manual) text += ManualText(manual, style);
  for (const PortUser& user : plan.users)
    text += Entry(style, Tone::kWarning, "in use", user.subject + ": " + user.text);
  text += ByHand(plan, style);
  for (const PersistFile& file : plan.persist) text += PersistText(file, style);
  if (!plan.persist_caveat.empty())
    text += Entry(style, Tone::kWarning, "unsure",
                  "the files are as the agent makes them, and apply may write others: " + plan.persist_caveat);
  for (const PlanUnkept& one : plan.unkept) text += UnkeptText(one, style);
  return text + Labelled(style, Tone::kPlain, " ", 2, PlanSummary(plan));
}

}  // namespace

std::string PlanText(const PlanRun& run, const Style& style) {
  std::string text;
  for (const HostPlan& host : run.hosts) {
    if (host.plan) text += (text.empty() ? "" : "\n") + HostPlanText(host, style);
  }
  return text;
}

}  // namespace rdmaready
