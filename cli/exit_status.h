// SPDX-License-Identifier: Apache-2.0
// Exit statuses: the contract with scripts. Pure functions of what happened.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "api/model/report.h"

namespace rdmaready {

enum class ExitStatus {
  kOk = 0,          // ready, ok, nothing to do
  kNotReady = 1,    // not ready, or a test failed
  kUsage = 2,       // usage, or a bad input file
  kOwnFailure = 3,  // could not be determined, or our own failure
  kUnreachable =
      4,  // a host not resolved, not answering, of an incompatible version, or that refuses this caller
  kInterrupted = 130  // Ctrl-C
};

// The one that a run of several hosts ends with: 2 over 1 over 4 over 3 over 0.
ExitStatus Worse(ExitStatus a, ExitStatus b);

// Of AgentClient::Connect. Refusing to talk in plain text is a usage error: the remedy is a flag.
ExitStatus ConnectFailure(const absl::Status& status);

// Of a call to an agent that answered before. What it does not know (a port, a case, a profile) is what the
// caller named wrongly.
ExitStatus CallFailure(const absl::Status& status);

// Whether the same may succeed later although nobody changes anything: an agent that is not up yet, a name that
// does not resolve yet. Not so a refused certificate, a missing role, an incompatible version.
bool MayPass(const absl::Status& status);

// Of saving a file. Where nothing can be written is what the caller named wrongly; a full disk is our
// own failure.
ExitStatus SaveFailure(const absl::Status& status);

// Of a check: the verdict, the failures of hosts that could not be asked, and whether every store kept
// its result.
ExitStatus OfCheck(Readiness verdict, std::span<const ExitStatus> host_failures, bool stored);

// As a monitoring plugin says it: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN. What cannot be reached or was asked
// wrongly is unknown. `warned`: ready, and something is to be looked at.
int NagiosStatusOf(ExitStatus status, bool warned);

}  // namespace rdmaready
