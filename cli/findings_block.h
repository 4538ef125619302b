// SPDX-License-Identifier: Apache-2.0
// FindingsBlock: the findings of one host, or of one pair, as lines for people.
#pragma once

#include <span>
#include <string>

#include "api/model/report.h"
#include "cli/style.h"

namespace rdmaready {

// A line for each finding, by group; below what is not a pass why it matters, how to put it right, and how many
// checks follow from it. Checks that do not apply for one reason share a line, so do passes on many ports.
// `fold`: a group in which all is well is one line.
std::string FindingsBlock(const Style& style, std::span<const Finding> findings, bool fold);

}  // namespace rdmaready
