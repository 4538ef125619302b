// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/nonce.h"

#include <sys/random.h>

#include <cerrno>

#include "agent/link/failure.h"

namespace rdmaready {

absl::StatusOr<Nonce> FreshNonce() {
  Nonce nonce{};
  const ssize_t bytes = ::getrandom(nonce.data(), nonce.size(), 0);
  if (bytes < 0) return ErrnoFailure(FailureKind::kSetup, errno, "draw a nonce");
  if (static_cast<std::size_t>(bytes) != nonce.size())
    return MakeFailure(FailureKind::kSetup, "draw a nonce: too short");
  return nonce;
}

}  // namespace rdmaready
