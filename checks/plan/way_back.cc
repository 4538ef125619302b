// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/way_back.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "checks/plan/take_back.h"
#include "checks/setting/table.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Values = std::map<SettingObject, std::string>;

Values ValuesOf(const Facts& host) {
  Values values;
  for (Setting& setting : SettingsOf(host)) values.emplace(std::move(setting.object), std::move(setting.value));
  return values;
}

// Writes the settings that differ, in their order. It leaves those that cannot be read.
void PutBack(Facts& host, const std::vector<Setting>& order) {
  const Values now = ValuesOf(host);
  for (const Setting& setting : order) {
    const auto value = now.find(setting.object);
    if (value != now.end() && value->second != setting.value)
      static_cast<void>(WriteSetting(host, setting.object, setting.value));
  }
}

// As the applier does it (agent/apply/engine_back.cc).
void RollBack(Facts& host, const Plan& plan, const std::vector<Setting>& snapshot) {
  constexpr int kLooks = 4;
  for (int look = 0; look < kLooks && SettingsOf(host) != snapshot; ++look) {
    if (look % 2 == 1) {
      PutBack(host, InWritingOrder(plan.steps, snapshot));
      continue;
    }
    for (const std::vector<Setting>& round : TakeBackRounds(plan.steps, snapshot)) PutBack(host, round);
  }
}

std::string WhyNotBack(Facts host, const Setting& before) {
  const std::string why = WriteSetting(host, before.object, before.value);
  return why.empty() ? "the driver does not come back to it" : why;
}

// Settings that can be read and are not as before.
std::vector<Setting> NotBack(const Facts& rolled_back, const std::vector<Setting>& snapshot) {
  const Values now = ValuesOf(rolled_back);
  std::vector<Setting> wrong;
  for (const Setting& setting : snapshot) {
    const auto value = now.find(setting.object);
    if (value != now.end() && value->second != setting.value) wrong.push_back(setting);
  }
  return wrong;
}

// The first step after which the setting is another; null without one.
PlanStep* StepThatChanges(Facts host, const SettingObject& object, Plan& plan) {
  const std::string before = ValueOf(host, object);
  for (PlanStep& step : plan.steps) {
    static_cast<void>(WriteSetting(host, step.object, step.to));
    if (ValueOf(host, object) != before) return &step;
  }
  return nullptr;
}

void MarkSteps(const PlannedPart& part, Plan& plan) {
  const std::vector<Setting> snapshot = SettingsOf(*part.origin->facts);
  Facts host = part.now;
  RollBack(host, plan, snapshot);
  for (const Setting& setting : NotBack(host, snapshot)) {
    const auto own = std::ranges::find(plan.steps, setting.object, &PlanStep::object);
    PlanStep* const step =
        own != plan.steps.end() ? &*own : StepThatChanges(*part.origin->facts, setting.object, plan);
    if (step == nullptr || !step->one_way.empty()) continue;
    const std::string why = WhyNotBack(host, setting);
    step->one_way = own != plan.steps.end()
                        ? Cat("what it is now cannot be set again: ", why)
                        : Cat("it changes ", TextOf(setting.object), " too, which cannot be set again: ", why);
  }
}

}  // namespace

void MarkOneWaySteps(std::span<const PlannedPart> parts, Plan& plan) {
  if (plan.steps.empty()) return;
  for (const PlannedPart& part : parts) MarkSteps(part, plan);
}

}  // namespace rdmaready
