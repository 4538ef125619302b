// SPDX-License-Identifier: Apache-2.0
// Nonces: what names one run and keys its data, so that nobody guesses either.
#pragma once

#include "absl/status/statusor.h"
#include "api/model/peer_message.h"

namespace rdmaready {

// From the kernel's random numbers. An error (kSetup) only when it gives none.
absl::StatusOr<Nonce> FreshNonce();

}  // namespace rdmaready
