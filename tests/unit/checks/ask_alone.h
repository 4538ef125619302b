// SPDX-License-Identifier: Apache-2.0
// Asks one check about the host of a case, without the hiding around it.
#pragma once

#include "checks/check.h"
#include "tests/unit/checks/cases.h"

namespace rdmaready {

// With the fix that a finding would have, and its placeholders filled in.
Verdict AskAlone(const Check& check, const CheckCase& row);

}  // namespace rdmaready
