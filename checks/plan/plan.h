// SPDX-License-Identifier: Apache-2.0
// The planner: from facts and profiles the least that must be set, in the order in which it can be.
#pragma once

#include <string>
#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"
#include "checks/host_parts.h"

namespace rdmaready {

struct PlanOptions {
  bool persist = false;  // with Plan::persist
};

// Pure. A setting that is as it is wanted makes no step; what is not known makes none either and is told in
// Plan::unknown. A step's `from` is what will be there when its turn comes, after the steps before it: a driver
// may change one setting when another is written (ice, with its first DSCP row). The profiles' digests are the
// caller's to fill in.
//
// What holds, and is tested over made hosts: applying the steps in order gives a host whose plan is empty; no
// two steps have one object; no step stands before what it needs.
Plan MakePlan(const HostParts& host, const PlanOptions& options = {});

}  // namespace rdmaready
