// SPDX-License-Identifier: Apache-2.0
// In which order a change is taken back. Pure.
#pragma once

#include <span>
#include <vector>

#include "api/model/plan.h"
#include "api/model/setting.h"

namespace rdmaready {

// In the order in which settings are written: what a later one needs, an earlier one has set.
void SortForWriting(std::vector<Setting>& settings);

// Rounds: each is looked at when the one before it is written; of it what differs is written, in its order.
// They are the steps backwards and then the rest of the snapshot; before a step which opened others
// (OpensOthers) is shut again, all else is as in the snapshot, because what a driver rewrote besides cannot be
// written after it. What stands in no snapshot, because nobody could read it before a step opened it, has its
// step's `from`.
std::vector<std::vector<Setting>> TakeBackRounds(std::span<const PlanStep> steps,
                                                 const std::vector<Setting>& snapshot);

// What still differs after that, in the order of writing, but what a step had opened last.
std::vector<Setting> InWritingOrder(std::span<const PlanStep> steps, std::vector<Setting> wrong);

}  // namespace rdmaready
