// SPDX-License-Identifier: Apache-2.0
// The notes below a finding that say what to do about it.
#pragma once

#include <string>

#include "api/model/remedy.h"
#include "cli/layout.h"

namespace rdmaready {

// Cause, cautions, steps in their order, alternatives, and the command that shows that it worked. A command
// stays on one line.
std::string RemedyNotes(const Style& style, const Remedy& remedy);

// The action of a step for a person, with its place where that is the switch.
std::string ActionText(const RemedyStep& step);

}  // namespace rdmaready
