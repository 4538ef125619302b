// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/snapshot.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_split.h"
#include "agent/apply/permission.h"
#include "checks/setting/table.h"

namespace rdmaready::apply {
namespace {

std::set<std::string> NamesOf(const Port& port) {
  std::set<std::string> names{PortName(port)};
  if (port.netdev) names.insert(port.netdev->name);
  if (port.lowers)
    for (const Netdev& lower : *port.lowers) names.insert(lower.name);
  if (port.uppers)
    for (const UpperNetdev& upper : *port.uppers) names.insert(upper.name);
  return names;
}

bool Meet(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& name) { return b.contains(name); });
}

std::set<std::string> TouchedBy(const Facts& facts, const Plan& plan) {
  std::set<std::string> touched;
  for (const PlanStep& step : plan.steps) {
    if (const std::string place = WhereOf(step.object); !place.empty()) {
      const std::vector<std::string> names = PlacesOf(step.object, step.subject);
      touched.insert(names.begin(), names.end());
    }
  }
  if (!facts.ports) return touched;
  const std::set<std::string> named = touched;
  for (const Port& port : *facts.ports)
    if (const std::set<std::string> names = NamesOf(port); Meet(names, named))
      touched.insert(names.begin(), names.end());
  return touched;
}

}  // namespace

std::vector<Setting> SnapshotOf(const Facts& facts, const Plan& plan, const std::vector<Setting>& all) {
  const std::set<std::string> touched = TouchedBy(facts, plan);
  std::vector<Setting> snapshot;
  for (const Setting& setting : all) {
    const std::string place = WhereOf(setting.object);
    const bool is_set = std::ranges::find(plan.steps, setting.object, &PlanStep::object) != plan.steps.end();
    if (is_set || (!place.empty() && touched.contains(place))) snapshot.push_back(setting);
  }
  return snapshot;
}

}  // namespace rdmaready::apply
