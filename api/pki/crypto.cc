// SPDX-License-Identifier: Apache-2.0
#include "api/pki/crypto.h"

#include <openssl/err.h>

#include <limits>

namespace rdmaready::pki {

CleanErrors::CleanErrors() { ::ERR_clear_error(); }
CleanErrors::~CleanErrors() { ::ERR_clear_error(); }

Bio ReadingBio(std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return {};
  return Bio(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Bio WritingBio() { return Bio(::BIO_new(::BIO_s_mem())); }

std::string WrittenTo(::BIO& bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(&bio, &text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

int NoPassphrase(char*, int, int, void* asked) {
  if (asked != nullptr) *static_cast<bool*>(asked) = true;
  return -1;
}

absl::Status CryptoFailure(std::string_view action) {
  const char* reason = ::ERR_reason_error_string(::ERR_peek_error());
  ::ERR_clear_error();
  return absl::InternalError(std::string(action) + ": " + (reason == nullptr ? "libcrypto refused" : reason));
}

const ::EVP_MD* SigningDigest(const ::EVP_PKEY& key) {
  const bool own = ::EVP_PKEY_is_a(&key, "ED25519") == 1 || ::EVP_PKEY_is_a(&key, "ED448") == 1;
  return own ? nullptr : ::EVP_sha256();
}

}  // namespace rdmaready::pki
