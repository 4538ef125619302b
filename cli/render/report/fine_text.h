// SPDX-License-Identifier: Apache-2.0
// FineText: the checks that passed, in a few lines. It has their number, what the most telling of them saw, and
// a line for each level of live tests.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/model/report.h"
#include "cli/style.h"

namespace rdmaready {

// Empty when nothing passed: the counts, what was seen, and a line for each level of live tests. The last of
// these ends with the shares of the class that were proven.
std::vector<std::string> FineLines(std::span<const Finding> findings);

// The same under the label FINE.
std::string FineText(const Style& style, std::span<const Finding> findings);

}  // namespace rdmaready
