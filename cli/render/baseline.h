// SPDX-License-Identifier: Apache-2.0
// What live tests showed last, and in the days before, as text and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/fleet/baseline_run.h"
#include "cli/style.h"

namespace rdmaready {

// Of the hosts that answered. Days are those of UTC.
std::string BaselineText(const BaselineRun& run, const Style& style);

// The columns of one test.
std::vector<std::string> BaselineTitles();
std::vector<std::string> BaselineCells(const CaseBaseline& baseline);

// {"schema": "rdmaready.v1.Baseline", "hosts": [{"host", "error", "baselines": [...]}]}; each baseline with the
// fields of CaseBaseline.
std::string BaselineJson(const BaselineRun& run);

}  // namespace rdmaready
