// SPDX-License-Identifier: Apache-2.0
// PlanDigest: what a person who read a plan agreed to.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "api/model/plan.h"

namespace rdmaready {

// SHA-256 of what the plan would write: the object of each step, its value before and after it, in their order.
// Where the applier made the files (Plan::persist_from_applier), also the path of each file that it writes, and
// the SHA-256 of its content. Without that it is the digest that earlier versions make.
// What is only said of a step (its cost, what it mends, how to type it) does not count, so that the two ends of
// a connection may be of different versions. 64 lower-case hexadecimal digits; an error only when libcrypto
// refuses.
absl::StatusOr<std::string> PlanDigest(const Plan& plan);

}  // namespace rdmaready
