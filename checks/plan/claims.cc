// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/claims.h"

#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "checks/catalog.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kOfTheHost = "host";  // the subject of a setting that belongs to no port

template <class View>
void AddVerdict(const Check& check, const View& view, std::vector<Verdict>& verdicts) {
  const auto* judge = std::get_if<Judge<View>>(&check.judge);
  if (judge == nullptr) return;
  Verdict verdict = (*judge)(view);
  if (CallsForAction(verdict.outcome)) verdicts.push_back(std::move(verdict));
}

bool IsOf(std::string_view step, const std::string& subject) {
  return step == kOfTheHost || SamePlace(step, subject);
}

// The verdicts of the check at the place that do not pass.
std::vector<Verdict> NotPassedAt(const Check& check, const PlannedPart& part, std::string_view subject) {
  std::vector<Verdict> verdicts;
  if (!part.now.ports) return verdicts;
  const Profile& profile = *part.origin->profile;
  for (const Port& port : *part.now.ports) {
    if (IsOf(subject, SubjectOf(port))) AddVerdict(check, PortView{part.now, port, profile}, verdicts);
    for (const NetdevRef& netdev : EthernetPortsOf(port)) {
      if (IsOf(subject, SubjectOf(port, netdev)))
        AddVerdict(check, EthernetView{part.now, port, netdev, profile}, verdicts);
    }
  }
  return verdicts;
}

// A failure or a warning before what is not known; nothing where the claim holds.
std::optional<Verdict> BrokenBy(const Check& check, std::span<const PlannedPart> parts, const PlanStep& step) {
  std::optional<Verdict> unknown;
  for (const PlannedPart& part : parts) {
    if (part.origin->profile->name != step.profile) continue;
    for (Verdict& verdict : NotPassedAt(check, part, step.subject)) {
      if (verdict.outcome != Outcome::kUnknown) return std::move(verdict);
      if (step.subject != kOfTheHost) unknown = std::move(verdict);
    }
  }
  return unknown;
}

}  // namespace

IdleSteps DropBrokenClaims(std::span<const PlannedPart> parts, Plan& plan) {
  IdleSteps idle;
  for (PlanStep& step : plan.steps) {
    std::string refused;
    std::string undecided;
    std::erase_if(step.mends, [&](const std::string& id) {
      const Check* check = FindCheck(id);
      const std::optional<Verdict> broken = check == nullptr ? std::nullopt : BrokenBy(*check, parts, step);
      if (!broken) return false;
      std::string& why = broken->outcome == Outcome::kUnknown ? undecided : refused;
      why = Cat(id, broken->outcome == Outcome::kUnknown ? ": " : " would still say: ", broken->observed);
      return true;
    });
    if (!step.mends.empty()) continue;
    if (!refused.empty()) {
      idle.refused.emplace(step.object, Cat("it repairs nothing: ", refused));
    } else if (!undecided.empty()) {
      idle.undecided.emplace(step.object,
                             Cat("whether ", TextOf(step.object), " repairs anything: ", undecided));
    }
  }
  return idle;
}

}  // namespace rdmaready
