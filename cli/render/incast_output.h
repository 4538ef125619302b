// SPDX-License-Identifier: Apache-2.0
// An incast as a JSON object (packaging/schemas), and for people. Pure.
#pragma once

#include <string>

#include "api/model/incast.h"
#include "checks/live/incast.h"
#include "cli/exit_status.h"
#include "cli/style.h"

namespace rdmaready {

struct JudgedIncast {
  IncastRun run{};
  IncastJudgement judged{};
};

std::string IncastJson(const JudgedIncast& incast);
std::string IncastText(const JudgedIncast& incast, const Style& style);

// Ok where the class is lossless or controlled; not ready where it collapses; else a failure of our own.
ExitStatus StatusOf(const JudgedIncast& incast);

}  // namespace rdmaready
