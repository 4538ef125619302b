// SPDX-License-Identifier: Apache-2.0
// The agent's side of mutual TLS: who has no certificate of the CA, or one that expired, does not get as far as
// a call.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "api/base/event.h"
#include "api/client/caller_judge.h"
#include "api/client/tls.h"

namespace grpc {
class ServerCredentials;
}

namespace rdmaready {

// `sink` hears of each that is refused and why (tls-refused), and once of a list that is due (tls-crl-stale).
std::shared_ptr<CallerJudge> MakeCallerJudge(const TlsFiles& files, const EventSink& sink);

// Credentials whose handshakes tell `over` when the judge is asked, on any thread: all of a kind but for that.
using CredentialsOfPlace = std::function<std::shared_ptr<grpc::ServerCredentials>(std::function<void()> over)>;

// Judges the files first (errors of LoadTls). Afterwards they are read again when they change: our own within
// seconds, what the judge goes by with the next caller.
absl::StatusOr<CredentialsOfPlace> MakeServerCredentials(const TlsFiles& files,
                                                         std::shared_ptr<CallerJudge> judge);

// For callers who have no certificate yet: none is asked of them, and nobody is judged. The files are read
// again when they change. `chain_file`: the server's own certificate, and whatever else it is to show.
std::shared_ptr<grpc::ServerCredentials> OpenServerCredentials(const std::string& key_file,
                                                               const std::string& chain_file);

}  // namespace rdmaready
