// SPDX-License-Identifier: Apache-2.0
// Versions of firmware, as vendors write them: "16.35.4030", "229.0.154.0/pkg 229.1.123.0", "4.20 0x80017785".
#pragma once

#include <string_view>

namespace rdmaready {

// -1, 0 or 1: `a` is older than `b`, as old, newer. What stands before the first blank or slash is compared,
// number by number; a number that one lacks is 0. Letters only part numbers.
int CompareVersions(std::string_view a, std::string_view b);

// Whether it begins with a number, so that it can be compared.
bool IsVersion(std::string_view text);

}  // namespace rdmaready
