// SPDX-License-Identifier: Apache-2.0
// The two halves of a signature between agents: what this one signs with, and whom it believes.
//
// Octets in, octets out; what they mean is SignedChannel's.
#pragma once

#include <openssl/evp.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/access/role_map.h"
#include "api/base/handle.h"
#include "api/client/certificate.h"
#include "api/client/tls.h"

namespace rdmaready {

using SigningKey = Handle<::EVP_PKEY, ::EVP_PKEY_free>;

inline constexpr std::size_t kMaxCertificatesBytes = std::size_t{32} << 10;  // that an end shows
inline constexpr std::size_t kMaxSignatureBytes = 1'024;                     // RSA with 8192 bits

class OfferSigner {
 public:
  // Reads and judges the files anew: a certificate that was replaced counts from the next test on. Errors of
  // LoadTls, kInvalidArgument for a chain of more than kMaxCertificatesBytes. Blocks on file access.
  static absl::StatusOr<OfferSigner> Load(const TlsFiles& files);

  // PEM: this end's certificate, its intermediates after it.
  const std::string& certificates() const { return certificates_; }
  // PEM: whom this end trusts.
  const std::string& ca() const { return ca_; }
  // PEM: whom no longer; empty: no list was named.
  const std::string& crl() const { return crl_; }

  // kInternal when OpenSSL cannot.
  absl::StatusOr<std::string> Sign(std::string_view octets) const;

 private:
  OfferSigner(std::string certificates, std::string ca, std::string crl, SigningKey key)
      : certificates_(std::move(certificates)),
        ca_(std::move(ca)),
        crl_(std::move(crl)),
        key_(std::move(key)) {}

  std::string certificates_;
  std::string ca_;
  std::string crl_;
  SigningKey key_;
};

class OfferVerifier {
 public:
  // Of the end that shows `certificates` (PEM). kPermissionDenied, with a line that reads on from "the
  // responder's certificate CN=x ...": not signed by a CA of `ca`, revoked by a list of `crl` (PEM; empty:
  // nobody is), not valid now, not for servers as an agent's is, or without the role agent in `roles`.
  // `subject()` of a refused one is not known: the line has it.
  static absl::StatusOr<OfferVerifier> Admit(std::string_view certificates, const std::string& ca,
                                             const std::string& crl, const access::RoleMap& roles);

  // "CN=storage1,O=Example": printable and bounded.
  const std::string& subject() const { return subject_; }

  // Whether a DNS name or an address of its certificate is `host`: a name or an address, with or without a
  // port.
  bool IsNamed(const std::string& host) const;

  // Whether the key of its certificate signed the octets.
  bool Signed(std::string_view octets, std::string_view signature) const;

 private:
  OfferVerifier(std::string subject, Certificate certificate, SigningKey key)
      : subject_(std::move(subject)), certificate_(std::move(certificate)), key_(std::move(key)) {}

  std::string subject_;
  Certificate certificate_;
  SigningKey key_;
};

}  // namespace rdmaready
