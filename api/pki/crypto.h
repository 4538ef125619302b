// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share of libcrypto: owned objects, PEM text in and out, errors as a status.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/base/handle.h"

namespace rdmaready::pki {

using Bio = Handle<::BIO, ::BIO_free>;
using PrivateKey = Handle<::EVP_PKEY, ::EVP_PKEY_free>;
using PublicKey = Handle<::EVP_PKEY, ::EVP_PKEY_free>;

// Whoever uses OpenSSL on this thread next would take what is left in its queue for his own.
struct CleanErrors {
  CleanErrors();
  CleanErrors(const CleanErrors&) = delete;
  CleanErrors& operator=(const CleanErrors&) = delete;
  ~CleanErrors();
};

// Reads `text`, which outlives it. Null without memory, or for more than two gigabytes.
Bio ReadingBio(std::string_view text);
Bio WritingBio();
// What was written.
std::string WrittenTo(::BIO& bio);

// A password callback: nobody is there to type one, and OpenSSL's own way is to ask on the terminal.
// `asked`: a bool*, which becomes true; or null.
int NoPassphrase(char* text, int size, int writing, void* asked);

// kInternal: "ACTION: libcrypto's first reason".
absl::Status CryptoFailure(std::string_view action);

// The digest that `key` signs with; null for an Edwards curve, which has its own.
const ::EVP_MD* SigningDigest(const ::EVP_PKEY& key);

}  // namespace rdmaready::pki
