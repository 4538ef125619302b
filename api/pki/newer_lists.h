// SPDX-License-Identifier: Apache-2.0
// Which of two texts of revocation lists is the newer one, for who gets them from somebody that he does not
// trust with it: only the CA can make one, and an old one must not take the place of a newer one.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace rdmaready::pki {

// The greatest number of a list of a PEM text; 0: no list, or none that is numbered.
std::int64_t HighestListNumber(std::string_view pem);

// OK: every list of `pem` is of one of `roots_pem` and signed by it, each of those has one, and none is older
// than the list of the same CA in `kept_pem` (may be empty), which one of them is newer than. kAlreadyExists:
// there is nothing new in it. kInvalidArgument: anything else, in words.
absl::Status CheckNewerLists(std::string_view pem, std::string_view kept_pem, std::string_view roots_pem);

}  // namespace rdmaready::pki
