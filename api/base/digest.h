// SPDX-License-Identifier: Apache-2.0
// Digests: what a text is known by, and how a damaged one is found.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace rdmaready {

// SHA-256, 64 lower-case hexadecimal digits. An error only when libcrypto refuses.
absl::StatusOr<std::string> Sha256(std::string_view bytes);

}  // namespace rdmaready
