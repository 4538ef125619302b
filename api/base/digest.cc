// SPDX-License-Identifier: Apache-2.0
#include "api/base/digest.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <span>

#include "api/base/text.h"

namespace rdmaready {

absl::StatusOr<std::string> Sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("SHA-256: libcrypto refused");
  }
  return Hex(std::span<const std::uint8_t>(digest.data(), size));
}

}  // namespace rdmaready
