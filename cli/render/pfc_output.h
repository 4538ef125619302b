// SPDX-License-Identifier: Apache-2.0
// A test of PFC as a JSON object (packaging/schemas), and for people. Pure.
#pragma once

#include <string>

#include "api/model/pfc_run.h"
#include "checks/live/obeys_pfc.h"
#include "cli/exit_status.h"
#include "cli/style.h"

namespace rdmaready {

struct JudgedPfc {
  PfcRun run{};
  PfcJudgement judged{};
};

std::string PfcJson(const JudgedPfc& pfc);
// The verdict comes first.
std::string PfcResultText(const JudgedPfc& pfc, const Style& style);

// Ok where the NIC obeys; not ready where it goes on or stops more; else a failure of our own.
ExitStatus StatusOf(const JudgedPfc& pfc);

}  // namespace rdmaready
