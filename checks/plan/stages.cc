// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/stages.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "checks/catalog.h"
#include "checks/placeholders.h"
#include "checks/setting/table.h"
#include "checks/words/verdicts.h"

namespace rdmaready {
namespace {

std::vector<Stage> StagesInOrder() {
  std::vector<Stage> stages;
  for (std::vector<Stage> (*const of_file)() : {DcbStages, AppStages, PortStages})
    std::ranges::move(of_file(), std::back_inserter(stages));
  std::ranges::sort(stages, {},
                    [](const Stage& stage) { return std::ranges::find(kSettingKinds, stage.kind); });
  return stages;
}

std::vector<const Check*> FindServed(SettingKind kind) {
  std::vector<const Check*> served;
  for (const std::string_view id : RowOf(kind).serves) {
    const Check* check = FindCheck(id);
    if (check != nullptr) served.push_back(check);
  }
  return served;
}

const std::vector<const Check*>& ServedBy(SettingKind kind) {
  static const std::map<SettingKind, std::vector<const Check*>> kServed = [] {
    std::map<SettingKind, std::vector<const Check*>> all;
    for (const SettingKind one : kSettingKinds) all.emplace(one, FindServed(one));
    return all;
  }();
  return kServed.at(kind);
}

template <class View>
Faults FaultsBy(SettingKind kind, const View& view, const NetdevRef* netdev) {
  std::vector<Fault> faults;
  for (const Check* check : ServedBy(kind)) {
    const auto* judge = std::get_if<Judge<View>>(&check->judge);
    if (judge == nullptr) continue;
    const Verdict verdict = (*judge)(view);
    if (!CallsForAction(verdict.outcome)) continue;
    const Remedy& remedy = (verdict.fix.empty() ? check->fix : verdict.fix).remedy();
    faults.push_back({.id = check->id,
                      .outcome = verdict.outcome,
                      .observed = verdict.observed,
                      .fix = FillIn(OneLine(remedy), view.host, &view.port, view.profile, netdev)});
  }
  return Faults(std::move(faults));
}

}  // namespace

std::span<const Stage> Stages() {
  static const std::vector<Stage> kStages = StagesInOrder();
  return kStages;
}

Faults FaultsOf(SettingKind kind, const EthernetView& view) { return FaultsBy(kind, view, &view.netdev); }
Faults FaultsOf(SettingKind kind, const PortView& view) { return FaultsBy(kind, view, nullptr); }

}  // namespace rdmaready
