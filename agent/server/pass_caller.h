// SPDX-License-Identifier: Apache-2.0
// The caller that the agent sees of a call that was let in.
#pragma once

#include <string>

#include "agent/access/gate.h"
#include "agent/runs.h"
#include "agent/server/call_watch.h"

namespace rdmaready {

// Its live tests are asked of the pass, and told to it. The pass outlives the caller. Empty `run_id`: a fresh
// one.
Caller CallerOf(access::Pass& pass, const std::string& name, const std::string& run_id);

// The same, and `watch`, which outlives the caller too, says why its call is over.
Caller CallerOf(access::Pass& pass, const std::string& name, const std::string& run_id, const CallWatch& watch);

}  // namespace rdmaready
