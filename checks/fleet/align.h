// SPDX-License-Identifier: Apache-2.0
// Align: the repair that gives one host the setting that another one has, by the table of settings. So the
// commands, their cost and the owner of the setting are those of a plan.
#pragma once

#include "checks/check.h"

namespace rdmaready {

// Each is for Agreement::align. Empty where either value is not known.
Fix AlignMtu(const DifferingEnd& odd,
             const DifferingEnd& other);  // empty too where `other` has the smaller one
Fix AlignPfc(const DifferingEnd& odd, const DifferingEnd& other);
Fix AlignEts(const DifferingEnd& odd, const DifferingEnd& other);
Fix AlignTos(const DifferingEnd& odd, const DifferingEnd& other);

}  // namespace rdmaready
