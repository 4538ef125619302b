// SPDX-License-Identifier: Apache-2.0
#include "checks/diagnosis/diagnosis.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "checks/diagnosis/rules.h"
#include "checks/words/ethernet.h"
#include "checks/words/fix.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// A reader needs the few that matter.
constexpr std::size_t kMostRuledOut = 3;

bool IsWrong(const Finding& finding) {
  return (finding.outcome == Outcome::kFail || finding.outcome == Outcome::kWarn) && finding.hidden_by.empty();
}

// At the same place and by the same profile.
bool Passes(std::string_view id, const Finding& wrong, const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [&](const Finding& other) {
    const bool same_profile = other.profile.empty() || other.profile == wrong.profile;
    return other.id == id && other.outcome == Outcome::kPass && same_profile &&
           (other.scope == Scope::kHost || SamePlace(other.subject, wrong.subject));
  });
}

const Port* PortOf(const Facts& host, const Finding& finding) {
  if (finding.scope != Scope::kPort || !host.ports) return nullptr;
  const std::string name = finding.subject.substr(0, finding.subject.find(' '));
  const auto found =
      std::ranges::find_if(*host.ports, [&](const Port& port) { return PortName(port) == name; });
  return found == host.ports->end() ? nullptr : &*found;
}

std::vector<std::string> RuledOut(const Facts& host, const Finding& wrong,
                                  const std::vector<Finding>& findings) {
  std::vector<std::string> texts;
  const auto add = [&texts](std::string text) {
    const bool fresh = !text.empty() && std::ranges::find(texts, text) == texts.end();
    if (fresh && texts.size() < kMostRuledOut) texts.push_back(std::move(text));
  };
  for (const FactRule& rule : FactRules()) add(rule.ruled_out(host, PortOf(host, wrong), wrong));
  for (const PassRule& rule : PassRules()) {
    if (rule.wrong == wrong.id && Passes(rule.passes, wrong, findings)) add(std::string(rule.not_this));
  }
  return texts;
}

}  // namespace

void Diagnose(const Facts& host, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (!IsWrong(finding) || !finding.remedy) continue;
    for (std::string& text : RuledOut(host, finding, findings)) {
      Remedy with = *finding.remedy;
      with.ruled_out.push_back(std::move(text));
      if (IsWithinLimits(with)) finding.remedy = std::move(with);
    }
  }
}

}  // namespace rdmaready
