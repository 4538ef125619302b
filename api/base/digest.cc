// SPDX-License-Identifier: Apache-2.0
#include "api/base/digest.h"

// EVP_Digest would fetch the algorithm from a provider: OpenSSL then reads its configuration, and 2 MB more of
// libcrypto are resident for as long as the agent lives. Since OpenSSL 3 the functions below are deprecated for
// being without providers.
#define OPENSSL_API_COMPAT 0x10100000L
#include <openssl/sha.h>

#include <array>
#include <cstdint>

#include "api/base/text.h"

namespace rdmaready {

absl::StatusOr<std::string> Sha256(std::string_view bytes) {
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256_CTX context{};
  if (SHA256_Init(&context) != 1 || SHA256_Update(&context, bytes.data(), bytes.size()) != 1 ||
      SHA256_Final(digest.data(), &context) != 1) {
    return absl::InternalError("SHA-256: libcrypto refused");
  }
  return Hex(digest);
}

}  // namespace rdmaready
