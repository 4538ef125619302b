// SPDX-License-Identifier: Apache-2.0
// A test of PFC over its time: the goodput of both transfers, and the time in which pauses were sent. Pure.
#pragma once

#include <string>

#include "api/model/pfc_run.h"
#include "checks/live/obeys_pfc.h"

namespace rdmaready {

// An SVG document.
std::string PfcPicture(const PfcRun& run, const PfcJudgement& judged);

}  // namespace rdmaready
