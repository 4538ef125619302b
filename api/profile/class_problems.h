// SPDX-License-Identifier: Apache-2.0
// Contradictions of `ets.classes`, in itself and with the other keys of a profile.
#pragma once

#include <vector>

#include "api/profile/profile_problems.h"
#include "rdmaready/v1/profile.pb.h"

namespace rdmaready {

// Adds them to `problems`; none where the profile names no classes.
void FindClassProblems(const v1::Profile& message, std::vector<ProfileProblem>& problems);

}  // namespace rdmaready
