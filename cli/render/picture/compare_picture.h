// SPDX-License-Identifier: Apache-2.0
// A comparison of RDMA and TCP as bars: the main figure of each case, and the processor time. Pure.
#pragma once

#include <string>

#include "api/model/compare.h"
#include "checks/live/compare.h"

namespace rdmaready {

// An SVG document.
std::string ComparePicture(const CompareRun& run, const CompareJudgement& judged);

}  // namespace rdmaready
