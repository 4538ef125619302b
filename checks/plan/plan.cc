// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/plan.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "checks/plan/claims.h"
#include "checks/plan/dependence.h"
#include "checks/plan/persist.h"
#include "checks/plan/planner.h"
#include "checks/plan/unkept.h"
#include "checks/plan/users.h"
#include "checks/plan/way_back.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr int kMostRounds = 32;

// The settings that a second plan would set again: two places want one thing in two ways. A contested setting
// stays as it is in the second plan too, because a rate belongs to the classes that remain.
std::map<SettingObject, std::string> Unsettled(const Planner& planner, const Planner::NotSet& not_set) {
  std::map<SettingObject, std::string> unsettled = planner.conflicts();
  std::vector<PlannedPart> parts;
  std::vector<HostPart> origins;
  origins.reserve(planner.parts().size());
  for (const PlannedPart& part : planner.parts()) {
    origins.push_back(*part.origin);
    origins.back().facts = &part.now;
    parts.push_back({.origin = &origins.back(), .now = part.now});
  }
  Planner again(std::move(parts), not_set);
  again.Run();
  for (const PlanStep& step : again.plan().steps) {
    const auto refused = [&step](const PlanRefusal& refusal) { return refusal.object == step.object; };
    if (std::ranges::any_of(planner.plan().refusals, refused)) continue;
    unsettled.emplace(step.object, Cat("wanted as \"", step.from, "\" and as \"", step.to, "\": by ",
                                       step.subject, " and by another"));
  }
  return unsettled;
}

}  // namespace

Plan MakePlan(const HostParts& host, const PlanOptions& options) {
  Planner::NotSet not_set;
  Plan plan;
  for (int round = 0; round < kMostRounds; ++round) {
    Planner planner(PlannedPartsOf(host), not_set);
    planner.Run();
    plan = planner.plan();
    IdleSteps idle = DropBrokenClaims(planner.parts(), plan);
    if (options.persist) {
      plan.persist = PersistFilesOf(host.host(), planner.parts(), plan);
      plan.unkept = UnkeptOf(host.host(), planner.parts(), plan);
    }
    const std::size_t before = not_set.contested.size() + not_set.undecided.size();
    not_set.contested.merge(Unsettled(planner, not_set));
    not_set.contested.merge(std::move(idle.refused));
    not_set.undecided.merge(std::move(idle.undecided));
    not_set.contested.merge(NeedingRefused(planner.parts(), plan));
    const bool settled = not_set.contested.size() + not_set.undecided.size() == before;
    if (settled || round + 1 == kMostRounds) MarkOneWaySteps(planner.parts(), plan);
    if (settled) break;
  }
  plan.users = UsersOf(host.host(), plan);
  for (const ProfileRef& profile : host.profiles()) plan.profiles.push_back({.name = profile.name});
  return plan;
}

}  // namespace rdmaready
