// SPDX-License-Identifier: Apache-2.0
// FindingsBlock: the findings of one host, or of one pair, as lines for people.
#pragma once

#include <span>
#include <string>

#include "api/model/report.h"
#include "cli/style.h"

namespace rdmaready {

// A line for each check. Checks that do not apply for one reason share a line; so do passes on many ports. A
// finding that is not well has notes: why it matters and how it is put right, or its waiver, and how many
// checks follow from it.
std::string FindingsBlock(const Style& style, std::span<const Finding> findings);

}  // namespace rdmaready
