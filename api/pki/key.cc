// SPDX-License-Identifier: Apache-2.0
#include "api/pki/key.h"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "api/base/small_file.h"
#include "api/base/status.h"

namespace rdmaready::pki {
namespace {

using KeyContext = Handle<::EVP_PKEY_CTX, ::EVP_PKEY_CTX_free>;

constexpr int kFewestRsaBits = 2048;
constexpr int kMostRsaBits = 8192;  // to verify with more costs the issuer time that a stranger chooses

absl::Status CheckCurve(const ::EVP_PKEY& key) {
  std::array<char, 64> curve{};
  std::size_t size = 0;
  if (::EVP_PKEY_get_utf8_string_param(&key, OSSL_PKEY_PARAM_GROUP_NAME, curve.data(), curve.size(), &size) !=
      1)
    return absl::InvalidArgumentError("an EC key without a named curve");
  int spelled_out = 0;
  static_cast<void>(
      ::EVP_PKEY_get_int_param(&key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &spelled_out));
  const std::string name(curve.data(), size);
  if (spelled_out != 0) return absl::InvalidArgumentError("an EC key without a named curve");
  if (name == SN_X9_62_prime256v1 || name == SN_secp384r1) return absl::OkStatus();
  return absl::InvalidArgumentError("an EC key of the curve " + name + "; P-256 and P-384 are taken");
}

}  // namespace

absl::StatusOr<PrivateKey> MakeKey() {
  const CleanErrors clean;
  PrivateKey key(::EVP_EC_gen(SN_X9_62_prime256v1));
  if (!key) return CryptoFailure("make a key");
  return key;
}

absl::StatusOr<std::string> KeyPem(const ::EVP_PKEY& key) {
  const CleanErrors clean;
  const Bio bio = WritingBio();
  if (!bio || ::PEM_write_bio_PKCS8PrivateKey(bio.get(), &key, nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return CryptoFailure("write a key");
  return WrittenTo(*bio);
}

absl::StatusOr<PrivateKey> ParseKey(std::string_view pem) {
  const CleanErrors clean;
  if (pem.size() > kMaxKeyBytes) return absl::InvalidArgumentError("larger than any private key");
  const Bio bio = ReadingBio(pem);
  if (!bio) return absl::ResourceExhaustedError("no memory for a key");
  bool asked = false;
  PrivateKey key(::PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, &asked));
  if (key) return key;
  return absl::InvalidArgumentError(asked ? "is encrypted: only a key without a passphrase is of use"
                                          : "no PEM private key");
}

absl::Status WriteKey(const std::string& path, const ::EVP_PKEY& key, Existing existing) {
  RR_ASSIGN_OR_RETURN(const std::string pem, KeyPem(key));
  return WriteFile(path, pem, S_IRUSR | S_IWUSR, existing);
}

absl::StatusOr<PrivateKey> LoadKey(const std::string& path) {
  RR_ASSIGN_OR_RETURN(const std::string pem,
                      ReadGuardedFile(path, kMaxKeyBytes, ::geteuid(), S_IRWXG | S_IRWXO));
  absl::StatusOr<PrivateKey> key = ParseKey(pem);
  if (!key.ok()) return absl::InvalidArgumentError(path + ": " + Message(key.status()));
  return key;
}

absl::Status CheckPublicKey(const ::EVP_PKEY& key) {
  const CleanErrors clean;
  if (::EVP_PKEY_is_a(&key, "ED25519") == 1) return absl::OkStatus();
  if (::EVP_PKEY_is_a(&key, "RSA") == 1) {
    const int bits = ::EVP_PKEY_get_bits(&key);
    if (bits >= kFewestRsaBits && bits <= kMostRsaBits) return absl::OkStatus();
    return absl::InvalidArgumentError(
        fmt::format("an RSA key of {} bits; {} to {} are taken", bits, kFewestRsaBits, kMostRsaBits));
  }
  if (::EVP_PKEY_is_a(&key, "EC") != 1)
    return absl::InvalidArgumentError("a key of another kind than EC, RSA and Ed25519");
  RR_RETURN_IF_ERROR(CheckCurve(key));
  auto* const mine = const_cast<::EVP_PKEY*>(&key);  // OpenSSL does not say const, and does not write
  const KeyContext context(::EVP_PKEY_CTX_new(mine, nullptr));
  if (!context || ::EVP_PKEY_public_check(context.get()) != 1)
    return absl::InvalidArgumentError("an EC key that is no point of its curve");
  return absl::OkStatus();
}

bool SameKey(const ::EVP_PKEY& a, const ::EVP_PKEY& b) {
  const CleanErrors clean;
  return ::EVP_PKEY_eq(&a, &b) == 1;
}

}  // namespace rdmaready::pki
