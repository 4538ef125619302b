// SPDX-License-Identifier: Apache-2.0
// Text that the hub gives away and gets back: sealed by a random key that this process makes and nobody else
// has. Who holds it can neither read it nor make one, and after a restart it is worth nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace rdmaready::hub {

// Letters, digits, - and _. All texts of up to kSealedAlikeBytes become equally long, and the same text another
// one each time. `about` is not in it: it opens only with the same one. An error only when libcrypto refuses.
// Any thread.
inline constexpr std::size_t kSealedAlikeBytes = 4000;
absl::StatusOr<std::string> SealText(std::string_view text, std::string_view about);

// Nothing: this process did not seal it, or about something else. Any thread.
std::optional<std::string> OpenSealed(const std::string& sealed, std::string_view about);

}  // namespace rdmaready::hub
