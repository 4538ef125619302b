// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/process.h"

#include <sys/resource.h>

#include <csignal>
#include <cstdio>

#include "absl/synchronization/mutex.h"
#include "api/base/status.h"
#include "api/daemon/journal.h"

namespace rdmaready {
namespace {

void RaiseDescriptorLimit() {
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace

int ExitStatusOf(const absl::Status& why) {
  switch (why.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kNotFound:
      return kExitUsage;
    default:
      return kExitOwnFailure;
  }
}

int FailStart(const std::string& program, const absl::Status& why, int status, LogFormat format,
              const EventSink& events) {
  if (format != LogFormat::kText && events) {
    Tell(events, EventLevel::kError, "cannot-start", {{"reason", Message(why)}, {"status", status}});
  } else {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), Message(why).c_str());
  }
  return status;
}

::sigset_t BecomeDaemon() {
  ::sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a store at the file size limit is a full disk, not the end
  RaiseDescriptorLimit();
  // Debian builds Abseil for debugging: each lock of gRPC is then looked for in a graph of all locks (5 % of a
  // busy hub), and what looks like a deadlock ends the process.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  return signals;
}

LogFormat LogFormatHere(LogFormat asked) {
  return asked == LogFormat::kText && ErrorsGoToJournal() ? LogFormat::kJournal : asked;
}

}  // namespace rdmaready
