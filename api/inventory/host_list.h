// SPDX-License-Identifier: Apache-2.0
// Lists of hosts as people write them: "node[001-128]". Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready {

// No list is longer: it would be a slip of the finger.
inline constexpr std::size_t kMostListedHosts = 4096;

// "rack[1-2]node[01-16,20]" in the order of its numbers, the last bracket running fastest; a word without
// brackets is itself, and so is an address in brackets, "[::1]:7471". Numbers keep the width of the first of
// their range. kInvalidArgument with one clear line.
absl::StatusOr<std::vector<std::string>> ExpandHosts(std::string_view list);

// "[::1]:7471", "[fe80::1%eth0]": an address of IPv6 in brackets, whatever follows them. Any other bracket with
// a colon is not one: "[1:3]", "node[::1]".
bool BeginsWithBracketedAddress(std::string_view word);

// The other way, for people: "node[001-003,007], gw1". Each name once; sorted by number within a bracket,
// brackets in the order in which their first name came. What has no number stands as it is.
std::string FoldHosts(const std::vector<std::string>& names);

}  // namespace rdmaready
