// SPDX-License-Identifier: Apache-2.0
// GnuTLS's side of mutual TLS: our certificate for each handshake, and the one that the caller showed.
#pragma once

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/client/tls.h"

namespace rdmaready::metrics {

// Of one thread.
class ServerCertificate {
 public:
  explicit ServerCertificate(TlsFiles files) : files_(std::move(files)) {}

  // Reads the files again. Not OK: they are of no use, and what was read before stays.
  absl::Status Read();
  const std::string& ca() const { return material_.ca; }

  // As GnuTLS takes it from a callback; it owns what it gets. A negative number: its error.
  int Give(::gnutls_pcert_st** certificates, unsigned int* count, ::gnutls_privkey_t* key,
           unsigned int* flags) const;

 private:
  const TlsFiles files_;
  TlsMaterial material_{};
};

// PEM, the caller's own first; empty: he showed none.
std::vector<std::string> ShownBy(::gnutls_session_t session);

}  // namespace rdmaready::metrics
