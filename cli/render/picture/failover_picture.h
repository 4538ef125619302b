// SPDX-License-Identifier: Apache-2.0
// A failover over its time as one SVG document: when each path was used, when the log waited, when the program
// ran. Pure.
#pragma once

#include <string>

#include "api/model/failover.h"
#include "checks/live/failover.h"

namespace rdmaready {

std::string FailoverPicture(const FailoverRun& run, const FailoverJudgement& judged);

}  // namespace rdmaready
