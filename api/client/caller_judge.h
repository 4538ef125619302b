// SPDX-License-Identifier: Apache-2.0
// CallerJudge: whether a server lets a caller in by his certificate, at the handshake and later. Knows files,
// no network.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "api/client/certificate.h"
#include "api/client/revocation.h"
#include "api/client/tls.h"

namespace rdmaready {

// The CA and the revocation lists are read from their files with each question (and parsed when they are others
// than before): what cannot be read trusts nobody. A list that is due goes on being applied (revocation.h).
//
// Threads: any.
class CallerJudge {
 public:
  // Who was refused ("CN=a,O=b", or "none") and why.
  using OnRefused = std::function<void(const std::string& subject, const std::string& why)>;

  // Hears of each that is refused, and once of a list that is due. Both may be empty.
  CallerJudge(const TlsFiles& files, OnRefused on_refused, RevocationFile::OnStale on_stale);

  // Why a caller with this certificate is refused; empty: he is not. `others_pem` may hold its intermediates.
  std::string WhyRefused(const std::string& certificate_pem, const std::string& others_pem);

  // Whether one who was let in can be revoked later: then he is to be asked after again.
  bool HasLists() const { return lists_ != nullptr; }

 private:
  std::string Why(const std::string& certificate_pem, const std::string& others_pem);
  absl::StatusOr<std::shared_ptr<::X509_STORE>> Trusted();

  const std::string ca_file_;
  const OnRefused on_refused_;
  std::unique_ptr<RevocationFile> lists_;  // null: none was named
  std::mutex mutex_{};
  std::string ca_{};  // what trusted_ was parsed from
  std::shared_ptr<::X509_STORE> trusted_{};
};

}  // namespace rdmaready
