// SPDX-License-Identifier: Apache-2.0
// Diagnosis: looks at all findings of a host beside its facts, and says at each that is wrong which other
// causes are ruled out, and by which fact. Pure.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "api/model/report.h"

namespace rdmaready {

// Fills in Remedy::ruled_out of failures and warnings that have a remedy. `findings` are those of JudgeHost.
void Diagnose(const Facts& host, std::vector<Finding>& findings);

}  // namespace rdmaready
