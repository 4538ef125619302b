// SPDX-License-Identifier: Apache-2.0
// What the store tells runs apart by: see RunRecord.
#pragma once

#include <string>

#include "agent/runs.h"
#include "api/model/facts.h"
#include "api/model/report.h"

namespace rdmaready {

// What was asked, and by which rules it was judged: "check host by 0.1.0, smb-direct-roce 3c94ab1f, own". Runs
// of different kinds are never compared.
std::string KindOfRun(const CheckOrder& order, const Caller& caller, Rung judged, const HostReport& report);

// SHA-256 of the facts (api/convert/digest.h), the verdict, and id, subject, profile and outcome of every
// finding: what the facts' digest leaves out may turn an outcome, and that is a change. Never what a finding
// observed, nor how long it took. Empty when libcrypto refuses: such a run is like no other.
std::string DigestOfRun(const Facts& facts, const HostReport& report);

}  // namespace rdmaready
