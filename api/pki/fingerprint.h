// SPDX-License-Identifier: Apache-2.0
// The fingerprint of a CA, and the token by which one host enrols once with a hub:
//
//   rdmaready-enrol-1:<secret, 32 octets, base64url>:<fingerprint of the CA>[:<address of the hub>]
//
// The secret proves to the hub that the host was invited; the fingerprint proves to the host that it speaks to
// that hub, before it says the secret. What the hub keeps is TokenDigest.
#pragma once

#include <openssl/x509.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace rdmaready::pki {

inline constexpr std::size_t kMaxTokenBytes = 512;

// SHA-256 of the certificate's DER, 64 lower-case hexadecimal digits.
absl::StatusOr<std::string> Fingerprint(const ::X509& certificate);

struct EnrolmentToken {
  std::string secret{};          // 32 octets
  std::string ca_fingerprint{};  // as Fingerprint writes it
  std::string hub_address{};     // "hub1:7473", "[fd00::1]:7473"; empty: not said

  // The text above. It is a secret, and so never part of a log.
  std::string Text() const;
};

// A fresh secret. kInvalidArgument: a fingerprint or an address that no token can hold.
absl::StatusOr<EnrolmentToken> MakeToken(const std::string& ca_fingerprint,
                                         const std::string& hub_address = {});

// Strict: a text is a token in one spelling only, and ParseToken(t.Text()) is t. kInvalidArgument, whose words
// hold nothing of the text.
absl::StatusOr<EnrolmentToken> ParseToken(std::string_view text);

// SHA-256 of the secret: from it nobody gets the secret back, because that is not guessable.
absl::StatusOr<std::string> TokenDigest(const EnrolmentToken& token);

// Of secrets and their digests: takes as long whatever differs.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace rdmaready::pki
