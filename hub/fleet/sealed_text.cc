// SPDX-License-Identifier: Apache-2.0
#include "hub/fleet/sealed_text.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <limits>

#include "absl/strings/escaping.h"
#include "api/base/handle.h"
#include "api/base/number.h"

namespace rdmaready::hub {
namespace {

using SealCipher = Handle<::EVP_CIPHER_CTX, ::EVP_CIPHER_CTX_free>;

// AES-256-GCM: a nonce, what is sealed, and the tag.
constexpr int kSealKeyBytes = 32;
constexpr int kNonceBytes = 12;
constexpr int kTagBytes = 16;
constexpr std::size_t kBesideSealed = kNonceBytes + kTagBytes;
constexpr std::size_t kSealedMultiple = 4096;
static_assert(kSealedAlikeBytes + sizeof("4000:") <= kSealedMultiple);

const unsigned char* RawOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* RawOf(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

bool IsOfOneCall(std::string_view text) {
  return text.size() < static_cast<std::size_t>(std::numeric_limits<int>::max()) - kSealedMultiple;
}

// Empty: there was no randomness.
const std::string& SealKey() {
  static const std::string key = [] {
    std::string random(kSealKeyBytes, '\0');
    return ::RAND_priv_bytes(RawOf(random), kSealKeyBytes) == 1 ? random : std::string();
  }();
  return key;
}

// "3:abc", and zeros to a multiple of kSealedMultiple.
std::string Padded(std::string_view text) {
  std::string padded = fmt::format("{}:{}", text.size(), text);
  padded.resize((padded.size() + kSealedMultiple - 1) / kSealedMultiple * kSealedMultiple, '\0');
  return padded;
}

std::optional<std::string> Unpadded(std::string_view padded) {
  const std::size_t colon = padded.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<std::size_t> size = ParseNumber<std::size_t>(padded.substr(0, colon));
  padded.remove_prefix(colon + 1);
  if (!size || *size > padded.size()) return std::nullopt;
  return std::string(padded.substr(0, *size));
}

}  // namespace

absl::StatusOr<std::string> SealText(std::string_view text, std::string_view about) {
  const auto refused = [] {
    ::ERR_clear_error();
    return absl::InternalError("AES-256-GCM: libcrypto refused");
  };
  const std::string& key = SealKey();
  if (key.empty() || !IsOfOneCall(text) || !IsOfOneCall(about)) return refused();
  const std::string plain = Padded(text);
  std::string sealed(kBesideSealed + plain.size(), '\0');
  unsigned char* const nonce = RawOf(sealed);
  unsigned char* const body = nonce + kNonceBytes;
  unsigned char* const tag = body + plain.size();
  int size = 0;
  const SealCipher cipher(::EVP_CIPHER_CTX_new());
  const bool done =
      cipher && ::RAND_bytes(nonce, kNonceBytes) == 1 &&
      ::EVP_EncryptInit_ex(cipher.get(), ::EVP_aes_256_gcm(), nullptr, RawOf(key), nonce) == 1 &&
      ::EVP_EncryptUpdate(cipher.get(), nullptr, &size, RawOf(about), static_cast<int>(about.size())) == 1 &&
      ::EVP_EncryptUpdate(cipher.get(), body, &size, RawOf(plain), static_cast<int>(plain.size())) == 1 &&
      ::EVP_EncryptFinal_ex(cipher.get(), tag, &size) == 1 &&
      ::EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag) == 1;
  if (!done) return refused();
  return absl::WebSafeBase64Escape(sealed);
}

std::optional<std::string> OpenSealed(const std::string& sealed, std::string_view about) {
  const std::string& key = SealKey();
  std::string octets;
  if (key.empty() || !IsOfOneCall(sealed) || !IsOfOneCall(about) ||
      !absl::WebSafeBase64Unescape(sealed, &octets) || octets.size() <= kBesideSealed)
    return std::nullopt;
  std::string plain(octets.size() - kBesideSealed, '\0');
  const unsigned char* const nonce = RawOf(octets);
  const unsigned char* const body = nonce + kNonceBytes;
  unsigned char* const tag = RawOf(octets) + kNonceBytes + plain.size();
  unsigned char* const to = RawOf(plain);
  int size = 0;
  const SealCipher cipher(::EVP_CIPHER_CTX_new());
  const bool done =
      cipher && ::EVP_DecryptInit_ex(cipher.get(), ::EVP_aes_256_gcm(), nullptr, RawOf(key), nonce) == 1 &&
      ::EVP_DecryptUpdate(cipher.get(), nullptr, &size, RawOf(about), static_cast<int>(about.size())) == 1 &&
      ::EVP_DecryptUpdate(cipher.get(), to, &size, body, static_cast<int>(plain.size())) == 1 &&
      ::EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag) == 1 &&
      ::EVP_DecryptFinal_ex(cipher.get(), to + plain.size(), &size) == 1;
  if (!done) {
    ::ERR_clear_error();
    return std::nullopt;
  }
  return Unpadded(plain);
}

}  // namespace rdmaready::hub
