// SPDX-License-Identifier: Apache-2.0
// Tls: the files that prove who we are and whom we trust, read and judged before anybody is called.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace rdmaready {

struct TlsFiles {
  std::string certificate{};  // --tls-cert: ours, followed by its intermediates
  std::string key{};          // --tls-key: its private key, without a passphrase
  std::string ca{};           // --tls-ca: whom we trust
  std::string crl{};          // --tls-crl: whom no longer; empty: no certificate is asked after

  bool Any() const { return !certificate.empty() || !key.empty() || !ca.empty() || !crl.empty(); }
};

// PEM texts, known to be of use: parsed, the key that of the certificate, which is valid now.
struct TlsMaterial {
  std::string certificate{};  // empty, as the key, for a caller that shows none
  std::string key{};
  std::string ca{};
  std::string crl{};                  // empty: nobody is revoked
  std::string certificate_expires{};  // "2026-11-20 19:17 UTC"
};

enum class TlsRole { kServer, kCaller };

// kInvalidArgument with one clear line: a file that is missing among the three (a caller may leave out both
// certificate and key), unreadable, not PEM, a key that is encrypted or not the certificate's, a certificate
// that expired, revocation lists that the CA did not sign (api/client/revocation.h).
absl::StatusOr<TlsMaterial> LoadTls(const TlsFiles& files, TlsRole role);

// More than any chain or bundle needs.
inline constexpr std::size_t kMaxPemBytes = 1 << 20;

}  // namespace rdmaready
