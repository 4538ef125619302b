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
  kFamilies,    // a line for each family (pfc.*) of a group, with the one thing that tells most
  kGroups,      // a line for each group in which all is well
};

// Lines by group; below what is not a pass why it matters, how to put it right, and how many checks follow from
// it. Live tests are listed one by one, but for kGroups: their figures are what one looks for.
std::string FindingsBlock(const Style& style, std::span<const Finding> findings, Detail detail);

}  // namespace rdmaready
