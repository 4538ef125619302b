// SPDX-License-Identifier: Apache-2.0
// Requests for a certificate (PKCS#10): a public key, and the proof that who asks has the private one.
#pragma once

#include <openssl/evp.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/pki/crypto.h"

namespace rdmaready::pki {

inline constexpr std::size_t kMaxRequestBytes = 16 * 1024;

// PEM, signed with `key`. `common_name` is for people who look at it: no issuer goes by it.
absl::StatusOr<std::string> MakeRequest(::EVP_PKEY& key, const std::string& common_name);

// The key of a request that a stranger wrote: one PEM request, signed with that key, which CheckPublicKey
// takes. The name and the extensions that it asks for are not looked at: who issues says what stands in a
// certificate. kInvalidArgument otherwise; words of ours alone.
absl::StatusOr<PublicKey> KeyOfRequest(std::string_view pem);

}  // namespace rdmaready::pki
