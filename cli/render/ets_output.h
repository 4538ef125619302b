// SPDX-License-Identifier: Apache-2.0
// An ETS test as a JSON object (packaging/schemas), and for people. Pure.
#pragma once

#include <string>

#include "api/model/ets.h"
#include "checks/live/ets.h"
#include "cli/exit_status.h"
#include "cli/style.h"

namespace rdmaready {

struct JudgedEts {
  EtsRun run{};
  EtsJudgement judged{};
};

std::string EtsJson(const JudgedEts& ets);
// The verdict comes first.
std::string EtsResultText(const JudgedEts& ets, const Style& style);

// Ok where the shares are kept, not ready where they are not. Bounded by demand is not determined either: a
// failure of our own.
ExitStatus StatusOf(const JudgedEts& ets);

}  // namespace rdmaready
