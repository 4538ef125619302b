// SPDX-License-Identifier: Apache-2.0
// rdmaready-agent: answers for one host until it is told to stop.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/agent_events.h"
#include "agent/options.h"
#include "agent/probe/nvme/nvme_leftovers.h"
#include "agent/server.h"
#include "agent/store/file_lock.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/client/tcp_probe.h"
#include "api/profile/site.h"

namespace rdmaready {
namespace {

// Exit statuses of the command line's contract.
constexpr int kExitUsage = 2;
constexpr int kExitOwnFailure = 3;

constexpr auto kGrace = std::chrono::milliseconds(500);
constexpr auto kLongestEnd = std::chrono::milliseconds(4'000);  // after a signal

// To a person as one line, to a program as an event.
int Fail(const absl::Status& why, int status, LogFormat format, const EventSink& events) {
  if (format == LogFormat::kJson) {
    Tell(events, EventLevel::kError, "cannot-start", {{"reason", Message(why)}, {"status", status}});
  } else {
    std::fprintf(stderr, "rdmaready-agent: %s\n", Message(why).c_str());
  }
  return status;
}

int ExitStatus(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kNotFound:
      return kExitUsage;
    default:
      return kExitOwnFailure;
  }
}

// Callers on this host need no address: root's agent also answers on a socket that only root can reach. Whoever
// has it keeps it, by a lock held for life: gRPC removes the file both when it binds and when it ends, whoever
// listens there.
absl::StatusOr<FileLock> TakeLocalSocket(const std::string& socket) {
  if (::geteuid() != 0) return absl::PermissionDeniedError("only root's agent has the local socket");
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::path(socket).parent_path();
  if (std::filesystem::create_directories(directory, error)) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  }
  if (error) return ErrnoStatus(error.value(), "create " + directory.string());
  absl::StatusOr<FileLock> lock =
      FileLock::Take(socket + ".lock", "take " + socket, std::chrono::milliseconds(0));
  if (!lock.ok()) return lock;
  // An older agent holds no lock.
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  if (ProbeTcp("unix:" + socket, soon).ok())
    return absl::UnavailableError("another agent answers on " + socket);
  return lock;
}

absl::StatusOr<std::unique_ptr<HostedAgent>> Start(const ServerOptions& options, const std::string& socket,
                                                   const absl::Status& taken) {
  if (!taken.ok()) return HostedAgent::Start(options);
  ServerOptions with_socket = options;
  with_socket.listen.push_back("unix:" + socket);
  absl::StatusOr<std::unique_ptr<HostedAgent>> agent = HostedAgent::Start(with_socket);
  // Another agent may have taken the socket meanwhile; without it this one is as good to everybody else.
  return absl::IsUnavailable(agent.status()) ? HostedAgent::Start(options) : std::move(agent);
}

// What sleeps in the kernel (a NIC that does not answer, a server that is gone) is not waited for: what was
// acknowledged is stored, and what a proof leaves behind is removed by the next start.
void EndAnyway(const std::stop_token& ended, const EventSink& events) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  if (woken.wait_for(lock, ended, kLongestEnd, [] { return false; }) || ended.stop_requested()) return;
  Tell(events, EventLevel::kWarning, "ended-anyway", {{"reason", "something that was begun does not end"}});
  ::_exit(0);
}

int Serve(const AgentOptions& options, const ::sigset_t& signals) {
  const EventSink& events = options.server.events;
  const std::string socket = LocalSocketPath();
  std::jthread end;  // declared first: it outlives what may not end
  const absl::StatusOr<FileLock> socket_lock = TakeLocalSocket(socket);
  std::vector<nvme::Leftover> leftovers;  // without root's rights they are the prover's to sweep
  if (::geteuid() == 0) leftovers = nvme::FindLeftovers(nvme::Moment::kStart);
  const absl::StatusOr<std::unique_ptr<HostedAgent>> agent =
      Start(options.server, socket, socket_lock.status());
  if (!agent.ok()) return Fail(agent.status(), ExitStatus(agent.status()), options.log_format, events);
  HearGrpc(events);
  if (options.server.insecure) {
    Tell(events, EventLevel::kWarning, "insecure",
         {{"reason", "plain text, without authentication: every caller that reaches the port may test"}});
  }
  for (const std::string& address : (*agent)->addresses()) {
    const bool plain = address.starts_with("unix:") || !options.server.tls.Any();
    Tell(events, EventLevel::kInfo, "listening",
         {{"address", address}, {"tls", !plain}, {"version", std::string(kVersion)}});
  }
  if (!socket_lock.ok()) {
    Tell(events, EventLevel::kInfo, "no-local-socket", {{"reason", Message(socket_lock.status())}});
  }
  // It may take as long as a server that is gone keeps the kernel waiting: nobody waits for it.
  const std::jthread sweep([&] { TellOfLeftovers(events, nvme::RemoveLeftovers(leftovers)); });
  int signal = 0;
  ::sigwait(&signals, &signal);
  Tell(events, EventLevel::kInfo, "stopping", {{"reason", std::string(::strsignal(signal))}});
  end = std::jthread(EndAnyway, events);
  (*agent)->Shutdown(kGrace);
  return 0;
}

// Connections that only stand there take file descriptors, which facts need too.
void RaiseDescriptorLimit() {
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

// Of a site file: those of this host.
absl::StatusOr<std::vector<Profile>> OwnProfiles(const std::string& name) {
  RR_ASSIGN_OR_RETURN(const Site site, LoadSite(std::span(&name, 1)));
  char host[256] = {};
  if (::gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  return site.ProfilesOf(host);
}

int Main(int argc, char** argv) {
  absl::StatusOr<AgentCommandLine> command = ParseAgentCommandLine(argc, argv);
  if (!command.ok()) return Fail(command.status(), kExitUsage, LogFormat::kText, {});
  if (!command->answer.empty()) return std::fputs(command->answer.c_str(), stdout) < 0 ? kExitOwnFailure : 0;
  AgentOptions& options = command->options;
  // Before any thread exists, so that all inherit the mask and sigwait gets the signals.
  ::sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a store at the file size limit is a full disk, not the end
  RaiseDescriptorLimit();
  options.server.events = StartLog(options.log_format, options.log_level);
  absl::StatusOr<std::vector<Profile>> profiles = OwnProfiles(options.profile_name);
  if (!profiles.ok()) return Fail(profiles.status(), kExitUsage, options.log_format, options.server.events);
  options.server.default_profiles = *std::move(profiles);
  // An agent without root's rights would only fail at each mount.
  if (options.server.allow_proofs && ::geteuid() != 0) {
    options.server.allow_proofs = false;
    Tell(options.server.events, EventLevel::kWarning, "proofs-by-helper",
         {{"reason", "--allow-proofs is for root's agent: rdmaready-prover is asked"}});
  }
  return Serve(options, signals);
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
