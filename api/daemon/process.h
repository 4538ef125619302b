// SPDX-License-Identifier: Apache-2.0
// What each daemon is as a process: its signals and limits, and how it ends where it cannot start.
#pragma once

#include <csignal>
#include <string>

#include "absl/status/status.h"
#include "api/base/event.h"
#include "api/daemon/event_log.h"

namespace rdmaready {

// Exit statuses of the command line's contract.
inline constexpr int kExitUsage = 2;
inline constexpr int kExitOwnFailure = 3;

// kExitUsage for what who started it can set right by other options, kExitOwnFailure for all else.
int ExitStatusOf(const absl::Status& why);

// Says why `program` does not start, to a person as one line, to a program as an event; returns `status`.
// `events` may be null: there is no log yet.
int FailStart(const std::string& program, const absl::Status& why, int status, LogFormat format,
              const EventSink& events);

// Call before any thread exists: all inherit the mask, so that sigwait and the like get what is returned:
// SIGINT, SIGTERM and SIGHUP. A peer that goes away and a full disk end no daemon, and it has as many
// descriptors as it may have: each connection is one. No library looks for deadlocks while it runs.
::sigset_t BecomeDaemon();

// Who asked for JSON gets it, also under systemd; text becomes entries of the journal there.
LogFormat LogFormatHere(LogFormat asked);

}  // namespace rdmaready
