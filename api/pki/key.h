// SPDX-License-Identifier: Apache-2.0
// Private keys: made here, kept in files that are their owner's alone.
#pragma once

#include <openssl/evp.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/pki/crypto.h"
#include "api/pki/file.h"

namespace rdmaready::pki {

inline constexpr std::size_t kMaxKeyBytes = 16 * 1024;  // of a PEM text

// EC P-256, from the system's random source.
absl::StatusOr<PrivateKey> MakeKey();

// PKCS#8 without a passphrase: a daemon has nobody to ask for one.
absl::StatusOr<std::string> KeyPem(const ::EVP_PKEY& key);

// kInvalidArgument: no PEM private key, or one with a passphrase. The words never hold what was read.
absl::StatusOr<PrivateKey> ParseKey(std::string_view pem);

// With mode 0600, whole or not at all. Errors of StagedFile.
absl::Status WriteKey(const std::string& path, const ::EVP_PKEY& key, Existing existing);

// kFailedPrecondition: it is not this user's, or others may read it; kInvalidArgument: no file, no key.
absl::StatusOr<PrivateKey> LoadKey(const std::string& path);

// Whether a certificate may be issued for it: EC P-256 or P-384, RSA with 2048 to 8192 bits, Ed25519, and a
// point of its curve. kInvalidArgument says what it is instead.
absl::Status CheckPublicKey(const ::EVP_PKEY& key);

bool SameKey(const ::EVP_PKEY& a, const ::EVP_PKEY& b);

}  // namespace rdmaready::pki
