// SPDX-License-Identifier: Apache-2.0
// The agent's side of mutual TLS: who has no certificate of the CA, or one that expired, does not get as far as
// a call.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "api/base/event.h"
#include "api/client/revocation.h"
#include "api/client/tls.h"

namespace rdmaready {

// Judges callers by their certificates. The CA and the revocation lists are read from their files with each
// question: what cannot be read trusts nobody. A list that is due goes on being applied
// (api/client/revocation.h).
//
// Threads: any.
class CallerJudge {
 public:
  // `sink` hears of each that is refused and why (tls-refused), and once of a list that is due (tls-crl-stale).
  CallerJudge(const TlsFiles& files, EventSink sink);
  CallerJudge(const CallerJudge&) = delete;
  CallerJudge& operator=(const CallerJudge&) = delete;

  // Why a caller with this certificate is refused; empty: he is not. `others_pem` may hold its intermediates.
  std::string WhyRefused(const std::string& certificate_pem, const std::string& others_pem);

  // Whether one who was let in can be revoked later.
  bool HasLists() const { return lists_ != nullptr; }

 private:
  std::string Why(const std::string& certificate_pem, const std::string& others_pem);

  const std::string ca_file_;
  const EventSink sink_;
  std::unique_ptr<RevocationFile> lists_;  // null: none was named
};

// Judges the files first (errors of LoadTls). Afterwards they are read again when they change: our own within
// seconds, what the judge goes by with the next caller.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(
    const TlsFiles& files, std::shared_ptr<CallerJudge> judge);

// Of the first certificate of a PEM text, for a log: "CN=a,O=b"; "none".
std::string SubjectOf(const std::string& certificate_pem);

}  // namespace rdmaready
