// SPDX-License-Identifier: Apache-2.0
// FindingsBlock: the findings of one host, or of one pair, as lines for people.
#pragma once

#include <span>
#include <string>

#include "api/model/report.h"
#include "cli/style.h"

namespace rdmaready {

// How much is said of what is well. What is not is always said in full.
enum class Detail {
  kEveryCheck,  // a line each; those that do not apply for one reason share one, so do passes on many ports
  kBrief,       // a line for each group, with what tells most of it; live tests one by one
};

// Below what is not well: why it matters and how to put it right, or by whom it is waived, and how many checks follow
// from it. With every
// check the lines are in the order of the report; else what is not well comes first, the worst before the rest.
std::string FindingsBlock(const Style& style, std::span<const Finding> findings, Detail detail);

}  // namespace rdmaready
