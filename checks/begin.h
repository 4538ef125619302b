// SPDX-License-Identifier: Apache-2.0
// The two steps from a check and its verdict to a finding, for those who judge.
#pragma once

#include <string>

#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/check.h"
#include "checks/hiding.h"

namespace rdmaready {

// The check's part of a finding, before anything was judged.
Finding Begin(const Check& check, const Profile& profile, std::string subject);

// The verdict's fix, else the check's. The check's command shows for either that it worked.
Fix FixOfVerdict(const Check& check, const Verdict& verdict);

// What was judged. The fix may still hold placeholders.
void TakeVerdict(Finding& finding, const Check& check, Verdict verdict);

// Hides it behind a dependency that explains it, if there is one.
void HideBehind(Finding& finding, const Check& check, const Evidence& evidence);

}  // namespace rdmaready
