// SPDX-License-Identifier: Apache-2.0
// How far a mistyped word is from a known one.
#pragma once

#include <cstddef>
#include <string_view>

namespace rdmaready {

// The fewest mistakes that make one of the other: a letter too much, too few, another one, or two
// neighbours swapped.
std::size_t EditDistance(std::string_view a, std::string_view b);

// How many mistakes a guess may assume where one of the two is that short: more make any short word of any
// other. `usual` where both are longer.
std::size_t MistakesAllowed(std::string_view a, std::string_view b, std::size_t usual);

}  // namespace rdmaready
