// SPDX-License-Identifier: Apache-2.0
#include "checks/words/fix.h"

#include "checks/words/open_words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kComment = "  # ";

void Append(std::string& list, std::string_view separator, std::string_view text) {
  if (!list.empty()) list += separator;
  list += text;
}

}  // namespace

Fix::Fix(std::string_view text) : remedy_(RemedyOfFix(text)) {
  for (std::string& words : remedy_.cautions) remedy_.steps.push_back({.action = std::move(words)});
  remedy_.cautions.clear();
}

Fix Fix::Because(std::string_view cause, Certainty certainty) && {
  remedy_.cause = cause;
  remedy_.certainty = certainty;
  return std::move(*this);
}

Fix Fix::RulesOut(std::string_view text) && {
  if (!text.empty()) remedy_.ruled_out.emplace_back(text);
  return std::move(*this);
}

Fix Fix::Caution(std::string_view text) && {
  if (!text.empty()) remedy_.cautions.emplace_back(text);
  return std::move(*this);
}

Fix Fix::Run(std::string_view command, StepSite site) && {
  remedy_.steps.push_back({.site = site, .command = std::string(command)});
  return std::move(*this);
}

Fix Fix::Do(std::string_view action, StepSite site) && {
  remedy_.steps.push_back({.site = site, .action = std::string(action)});
  return std::move(*this);
}

Fix Fix::Or(std::string_view alternative) && {
  remedy_.alternatives.emplace_back(alternative);
  return std::move(*this);
}

Fix Fix::CheckBy(std::string_view command) && {
  remedy_.check = command;
  return std::move(*this);
}

Fix Fix::OwnedBy(std::string_view owner) && {
  remedy_.owner = owner;
  return std::move(*this);
}

void SetRemedy(Finding& finding, Remedy remedy) {
  remedy = WithoutOpenCommands(std::move(remedy));
  finding.fix = FirstCommand(remedy);
  finding.remedy.reset();
  if (!remedy.empty()) finding.remedy = std::move(remedy);
}

Remedy WithTexts(Remedy remedy, const std::function<std::string(const std::string&)>& made) {
  const auto change = [&made](std::string& text) {
    if (!text.empty()) text = made(text);
  };
  change(remedy.cause);
  for (std::string& other : remedy.ruled_out) change(other);
  for (std::string& caution : remedy.cautions) change(caution);
  for (RemedyStep& step : remedy.steps) {
    change(step.command);
    change(step.action);
    // A placeholder may be something that nobody can type: "# install ibverbs-providers".
    if (step.command.starts_with("# ")) step = {.site = step.site, .action = step.command.substr(2)};
  }
  for (std::string& other : remedy.alternatives) change(other);
  change(remedy.check);
  return remedy;
}

std::string OneLine(const Remedy& remedy) {
  std::string commands;
  std::string words;
  for (const std::string& caution : remedy.cautions) Append(words, "; ", caution);
  for (const RemedyStep& step : remedy.steps) {
    if (!step.command.empty()) Append(commands, "; ", step.command);
    if (!step.action.empty()) Append(words, "; ", step.action);
  }
  for (const std::string& other : remedy.alternatives) Append(words, "; or ", other);
  if (words.empty()) return commands;
  return commands.empty() ? "# " + words : commands + std::string(kComment) + words;
}

}  // namespace rdmaready
