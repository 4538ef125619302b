// SPDX-License-Identifier: Apache-2.0
// A comparison of RDMA and TCP as a JSON object (packaging/schemas), and for people. Pure.
#pragma once

#include <string>

#include "api/model/compare.h"
#include "checks/live/compare.h"
#include "cli/exit_status.h"
#include "cli/style.h"

namespace rdmaready {

struct JudgedCompare {
  CompareRun run{};
  CompareJudgement judged{};
};

std::string CompareJson(const JudgedCompare& compare);
std::string CompareText(const JudgedCompare& compare, const Style& style);

// Not ready where a transfer over RDMA failed, or TCP is nearer than the profile allows; a failure of our own
// where a case is unknown for another reason.
ExitStatus StatusOf(const JudgedCompare& compare);

}  // namespace rdmaready
