// SPDX-License-Identifier: Apache-2.0
// The agent's side of mutual TLS: who has no certificate of the CA, or one that expired, does not get as far as
// a call.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "api/base/event.h"
#include "api/client/tls.h"

namespace rdmaready {

// Judges the files first (errors of LoadTls). Afterwards they are read again when they change: our own within
// seconds, the CA with the next caller. `sink` hears of every caller that was refused, and why.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(const TlsFiles& files,
                                                                               EventSink sink);

// Why a caller with this certificate is refused; empty: it is not. `others` may hold its intermediates. The CA
// is read from its file; a file that cannot be read trusts nobody.
std::string WhyRefused(const std::string& certificate_pem, const std::string& others_pem,
                       const std::string& ca_file);

// Of the first certificate of a PEM text, for a log: "CN=a,O=b"; "none".
std::string SubjectOf(const std::string& certificate_pem);

}  // namespace rdmaready
