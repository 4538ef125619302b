// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/take_back.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "checks/setting/table.h"

namespace rdmaready {
namespace {

std::size_t RankOf(SettingKind kind) {
  return static_cast<std::size_t>(std::ranges::find(kSettingKinds, kind) - kSettingKinds.begin());
}

Setting BeforeStep(const PlanStep& step, const std::vector<Setting>& snapshot) {
  const auto found = std::ranges::find(snapshot, step.object, &Setting::object);
  return found == snapshot.end() ? Setting{step.object, step.from} : *found;
}

bool IsStep(std::span<const PlanStep> steps, const SettingObject& object) {
  return std::ranges::find(steps, object, &PlanStep::object) != steps.end();
}

}  // namespace

void SortForWriting(std::vector<Setting>& settings) {
  std::ranges::sort(settings, {}, [](const Setting& setting) {
    return std::tuple(RankOf(setting.object.kind), setting.object.where, setting.object.name);
  });
}

std::vector<std::vector<Setting>> TakeBackRounds(std::span<const PlanStep> steps,
                                                 const std::vector<Setting>& snapshot) {
  std::vector<Setting> others = snapshot;
  SortForWriting(others);
  std::vector<Setting> rest = others;
  std::ranges::reverse(rest);
  std::erase_if(rest, [&](const Setting& setting) { return IsStep(steps, setting.object); });
  std::erase_if(others, [](const Setting& setting) { return OpensOthers(setting.object.kind); });
  std::vector<std::vector<Setting>> rounds(1);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (OpensOthers(step->object.kind)) {
      // What was written in the round before may have had the driver rewrite something else.
      rounds.push_back(others);
      rounds.back().push_back(BeforeStep(*step, snapshot));
      rounds.emplace_back();
    } else {
      rounds.back().push_back(BeforeStep(*step, snapshot));
    }
  }
  rounds.back().insert(rounds.back().end(), rest.begin(), rest.end());
  std::erase_if(rounds, [](const std::vector<Setting>& round) { return round.empty(); });
  return rounds;
}

std::vector<Setting> InWritingOrder(std::span<const PlanStep> steps, std::vector<Setting> wrong) {
  SortForWriting(wrong);
  std::ranges::stable_partition(wrong, [&](const Setting& setting) {
    return !OpensOthers(setting.object.kind) || !IsStep(steps, setting.object);
  });
  return wrong;
}

}  // namespace rdmaready
