// SPDX-License-Identifier: Apache-2.0
// A test of all paths between two hosts as a JSON object (packaging/schemas), and for people. Pure.
#pragma once

#include <string>

#include "api/model/paths.h"
#include "checks/live/paths.h"
#include "cli/exit_status.h"
#include "cli/style.h"

namespace rdmaready {

struct JudgedPaths {
  PathsRun run{};
  PathsJudgement judged{};
};

std::string PathsJson(const JudgedPaths& paths);
std::string PathsText(const JudgedPaths& paths, const Style& style);

// Not ready where the paths fall short or a transfer failed; a failure of our own where it is unknown for
// another reason.
ExitStatus StatusOf(const JudgedPaths& paths);

}  // namespace rdmaready
