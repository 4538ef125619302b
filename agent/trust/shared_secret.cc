// SPDX-License-Identifier: Apache-2.0
#include "agent/trust/shared_secret.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <array>
#include <utility>

namespace rdmaready {
namespace {

using Key = Handle<::EVP_PKEY, ::EVP_PKEY_free>;
using KeyContext = Handle<::EVP_PKEY_CTX, ::EVP_PKEY_CTX_free>;
using Kdf = Handle<::EVP_KDF, ::EVP_KDF_free>;
using KdfContext = Handle<::EVP_KDF_CTX, ::EVP_KDF_CTX_free>;

constexpr std::size_t kMaxDerivedBytes = 64;

absl::Status OpenSslCannot(const char* what) {
  ::ERR_clear_error();
  return absl::InternalError(std::string("OpenSSL cannot ") + what);
}

const unsigned char* Raw(std::string_view octets) {
  return reinterpret_cast<const unsigned char*>(octets.data());
}
unsigned char* Raw(std::string& octets) { return reinterpret_cast<unsigned char*>(octets.data()); }

// OpenSSL does not say const, and does not write.
::OSSL_PARAM Octets(const char* name, std::string_view octets) {
  return ::OSSL_PARAM_construct_octet_string(name, const_cast<char*>(octets.data()), octets.size());
}

}  // namespace

absl::StatusOr<HelloKey> HelloKey::Fresh() {
  Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"));
  std::string octets(kHelloKeyBytes, '\0');
  std::size_t size = octets.size();
  if (!key || ::EVP_PKEY_get_raw_public_key(key.get(), Raw(octets), &size) != 1 || size != kHelloKeyBytes) {
    return OpenSslCannot("make an X25519 key");
  }
  return HelloKey(std::move(key), std::move(octets));
}

absl::StatusOr<std::string> HelloKey::SharedWith(std::string_view octets) const {
  if (octets.size() != kHelloKeyBytes) return absl::InvalidArgumentError("its key has another length");
  const Key other(::EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, Raw(octets), octets.size()));
  const KeyContext context(::EVP_PKEY_CTX_new(key_.get(), nullptr));
  std::string secret(kHelloKeyBytes, '\0');
  std::size_t size = secret.size();
  // Fails for the few keys with which every secret would be zero.
  if (!other || !context || ::EVP_PKEY_derive_init(context.get()) != 1 ||
      ::EVP_PKEY_derive_set_peer(context.get(), other.get()) != 1 ||
      ::EVP_PKEY_derive(context.get(), Raw(secret), &size) != 1 || size != kHelloKeyBytes) {
    ::ERR_clear_error();
    return absl::InvalidArgumentError("no secret can be shared with its key");
  }
  return secret;
}

absl::StatusOr<std::string> Derived(std::string_view secret, std::string_view salt, std::string_view purpose,
                                    std::size_t bytes) {
  const Kdf kdf(::EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const KdfContext context(kdf ? ::EVP_KDF_CTX_new(kdf.get()) : nullptr);
  std::string digest = "SHA256";
  const std::array parameters = {
      ::OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), digest.size()),
      Octets(OSSL_KDF_PARAM_KEY, secret), Octets(OSSL_KDF_PARAM_SALT, salt),
      Octets(OSSL_KDF_PARAM_INFO, purpose), ::OSSL_PARAM_construct_end()};
  std::string derived(bytes, '\0');
  if (bytes > kMaxDerivedBytes || !context ||
      ::EVP_KDF_derive(context.get(), Raw(derived), derived.size(), parameters.data()) != 1) {
    return OpenSslCannot("derive a key");
  }
  return derived;
}

}  // namespace rdmaready
