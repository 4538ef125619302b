// SPDX-License-Identifier: Apache-2.0
// A failover as a JSON object (packaging/schemas), and for people. Pure.
#pragma once

#include <string>

#include "api/model/failover.h"
#include "checks/live/failover.h"
#include "cli/exit_status.h"
#include "cli/style.h"

namespace rdmaready {

struct JudgedFailover {
  FailoverRun run{};
  FailoverJudgement judged{};
};

std::string FailoverJson(const JudgedFailover& failover);
std::string FailoverText(const JudgedFailover& failover, const Style& style);

// Not ready where it takes too long or writes are not safe; a failure of our own where it is unknown.
ExitStatus StatusOf(const JudgedFailover& failover);

}  // namespace rdmaready
