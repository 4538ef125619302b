// SPDX-License-Identifier: Apache-2.0
#include "api/pki/fingerprint.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>

#include "absl/strings/escaping.h"
#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/pki/crypto.h"

namespace rdmaready::pki {
namespace {

constexpr std::string_view kTokenPrefix = "rdmaready-enrol-1:";
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kSecretTextBytes = 43;  // base64url without padding
constexpr std::size_t kFingerprintBytes = 64;
constexpr std::size_t kMaxAddressBytes = 300;  // a DNS name has at most 253

bool IsFingerprint(std::string_view text) {
  return text.size() == kFingerprintBytes &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsAddress(std::string_view text) {
  return !text.empty() && text.size() <= kMaxAddressBytes && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view(".:-_[]%").find(c) != std::string_view::npos;
  });
}

std::string Encoded(const std::string& secret) { return absl::WebSafeBase64Escape(secret); }

absl::Status NoToken() {
  return absl::InvalidArgumentError("no enrolment token of a version that is known here");
}

}  // namespace

absl::StatusOr<std::string> Fingerprint(const ::X509& certificate) {
  const CleanErrors clean;
  unsigned char* der = nullptr;
  const int size = ::i2d_X509(&certificate, &der);
  if (size <= 0) return CryptoFailure("encode a certificate");
  const std::string octets(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  ::OPENSSL_free(der);
  return Sha256(octets);
}

std::string EnrolmentToken::Text() const {
  return std::string(kTokenPrefix) + Encoded(secret) + ":" + ca_fingerprint +
         (hub_address.empty() ? "" : ":" + hub_address);
}

absl::StatusOr<EnrolmentToken> MakeToken(const std::string& ca_fingerprint, const std::string& hub_address) {
  const CleanErrors clean;
  if (!IsFingerprint(ca_fingerprint)) return absl::InvalidArgumentError("no fingerprint of a CA");
  if (!hub_address.empty() && !IsAddress(hub_address))
    return absl::InvalidArgumentError("no address of a hub that a token can hold");
  EnrolmentToken token{
      .secret = std::string(kSecretBytes, '\0'), .ca_fingerprint = ca_fingerprint, .hub_address = hub_address};
  if (::RAND_priv_bytes(reinterpret_cast<unsigned char*>(token.secret.data()), kSecretBytes) != 1)
    return CryptoFailure("make a token");
  return token;
}

absl::StatusOr<EnrolmentToken> ParseToken(std::string_view text) {
  if (text.size() > kMaxTokenBytes || !text.starts_with(kTokenPrefix)) return NoToken();
  text.remove_prefix(kTokenPrefix.size());
  if (text.size() < kSecretTextBytes + 1 + kFingerprintBytes || text[kSecretTextBytes] != ':') return NoToken();
  const std::string encoded(text.substr(0, kSecretTextBytes));
  EnrolmentToken token;
  // The last letter has two bits too many: only one of its four spellings is the token.
  if (!absl::WebSafeBase64Unescape(encoded, &token.secret) || token.secret.size() != kSecretBytes ||
      Encoded(token.secret) != encoded) {
    return NoToken();
  }
  text.remove_prefix(kSecretTextBytes + 1);
  token.ca_fingerprint = std::string(text.substr(0, kFingerprintBytes));
  if (!IsFingerprint(token.ca_fingerprint)) return NoToken();
  text.remove_prefix(kFingerprintBytes);
  if (text.empty()) return token;
  if (text.front() != ':' || !IsAddress(text.substr(1))) return NoToken();
  token.hub_address = std::string(text.substr(1));
  return token;
}

absl::StatusOr<std::string> TokenDigest(const EnrolmentToken& token) { return Sha256(token.secret); }

bool SameSecret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace rdmaready::pki
