// SPDX-License-Identifier: Apache-2.0
// A past as it travels: rdmaready.v1.Past in zlib, bounded before and after. What one host says of itself is
// taken as a whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/baseline.h"

namespace rdmaready::hub {

// kInvalidArgument: not zlib, more or less than `plain_bytes`, not what `digest` (64 hexadecimal digits) is of,
// or as ParsePast.
absl::StatusOr<std::vector<CaseBaseline>> ReadPast(std::string_view packed, std::uint64_t plain_bytes,
                                                   std::string_view digest);

// kInvalidArgument: no such message, more than kMostPastTests, one that cannot be (IsPlausible), or one twice.
absl::StatusOr<std::vector<CaseBaseline>> ParsePast(std::string_view plain);

}  // namespace rdmaready::hub
