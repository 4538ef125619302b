// SPDX-License-Identifier: Apache-2.0
// Name patterns: how a person names several hosts or ports at once.
#pragma once

#include <string_view>

namespace rdmaready {

// `*` stands for any characters, `?` for one, and [001-128] for the decimal numbers of that range, written with
// as many digits as its first one where that begins with 0: node[001-128], ens[1-4]f0np0. All else stands for
// itself; so does a bracket that holds no range. In time of their lengths multiplied.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace rdmaready
