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
// The verdict comes first.
std::string IncastText(const JudgedIncast& incast, const Style& style);

// Ok where the class is lossless. Where it loses under control: ok unless the profile wants it lossless; then,
// and where it collapses, not ready. Else it could not be determined.
ExitStatus StatusOf(const JudgedIncast& incast);

}  // namespace rdmaready
