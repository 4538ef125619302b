// SPDX-License-Identifier: Apache-2.0
// rdmaready-agent: answers for one host until it is told to stop.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/access/role.h"
#include "agent/access/socket_file.h"
#include "agent/agent_events.h"
#include "agent/daemon/enrol_command.h"
#include "agent/daemon/inherited_sockets.h"
#include "agent/daemon/options.h"
#include "agent/probe/nvme/nvme_leftovers.h"
#include "agent/server/server.h"
#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/daemon/mapped_pages.h"
#include "api/daemon/process.h"
#include "api/daemon/service_manager.h"
#include "api/daemon/watchdog.h"
#include "api/profile/site.h"
#include "api/profile/waivers.h"
#include "api/sqlite/file_lock.h"

namespace rdmaready {
namespace {

constexpr char kProgram[] = "rdmaready-agent";
constexpr auto kGrace = std::chrono::milliseconds(500);
constexpr auto kLongestEnd = std::chrono::milliseconds(4'000);  // after a signal

// The local sockets, and what keeps them ours.
struct LocalSockets {
  std::vector<access::DoorSocket> sockets{};
  std::optional<FileLock> lock{};
};

// Two agents on one host answer for one host: callers would reach whichever listened last.
absl::StatusOr<FileLock> LockPlace(const std::string& lock_file, const std::string& place) {
  absl::StatusOr<FileLock> lock = FileLock::Take(lock_file, "listen on " + place, std::chrono::milliseconds(0));
  if (!absl::IsUnavailable(lock.status())) return lock;
  return absl::AlreadyExistsError(Message(lock.status()));
}

// Callers on this host need no address. Whoever has the sockets keeps them, by a lock held for life.
// kAlreadyExists: a live agent has them.
absl::StatusOr<LocalSockets> MakeLocalSockets() {
  const std::optional<access::SocketPlace> place = access::OwnSocketPlace();
  if (!place)
    return absl::PermissionDeniedError("this user has no directory for local sockets (XDG_RUNTIME_DIR)");
  const std::string& name = place->path.empty() ? place->directory : place->path;
  if (place->path.empty()) {
    RR_RETURN_IF_ERROR(access::MakeSocketDirectory(place->directory));
  } else {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::path(place->path).parent_path();
    if (std::filesystem::create_directories(parent, error))
      std::filesystem::permissions(parent, std::filesystem::perms::owner_all, error);
    if (error) return ErrnoStatus(error.value(), "create " + parent.string());
  }
  const std::string lock_file = place->path.empty() ? name + "/agent.lock" : name + ".lock";
  RR_ASSIGN_OR_RETURN(FileLock lock, LockPlace(lock_file, name));
  LocalSockets made;
  made.lock = std::move(lock);
  if (place->path.empty()) {
    RR_ASSIGN_OR_RETURN(made.sockets, access::MakeRoleSockets(name));
  } else {
    RR_ASSIGN_OR_RETURN(access::DoorSocket socket, access::MakeSocket(name, access::Role::kApply));
    made.sockets.push_back(std::move(socket));
  }
  return made;
}

// What sleeps in the kernel (a NIC that does not answer, a server that is gone) is not waited for: what was
// acknowledged is stored, and what a proof leaves behind is removed by the next start.
void EndAnyway(const std::stop_token& ended, const EventSink& events) {
  if (!RealClock().SleepUntil(RealClock().Now() + kLongestEnd, ended)) return;
  Tell(events, EventLevel::kWarning, "ended-anyway", {{"reason", "something that was begun does not end"}});
  ::_exit(0);
}

void TellOfListening(const HostedAgent& agent, const EventSink& events) {
  for (const HostedAgent::Listening& place : agent.addresses()) {
    const bool mapped = place.role == access::Role::kNone;
    Tell(events, EventLevel::kInfo, "listening",
         {{"address", place.address},
          {"tls", place.tls},
          {"role", mapped ? "of the certificate" : std::string(access::RoleName(place.role))},
          {"version", std::string(kVersion)}});
  }
}

void TellOfMetrics(const HostedAgent& agent, const EventSink& events) {
  if (agent.metrics() == nullptr) return;
  Tell(events, EventLevel::kInfo, "metrics",
       {{"url", fmt::format("{}://{}/metrics", agent.metrics()->tls() ? "https" : "http",
                            agent.metrics()->address())}});
}

std::string StatusOf(const HostedAgent& agent) {
  std::vector<std::string> places;
  for (const HostedAgent::Listening& place : agent.addresses()) places.push_back(place.address);
  if (places.empty()) return "answers no callers: neither TCP nor a local socket";
  return fmt::format("answers on {}", fmt::join(places, ", "));
}

// Of a site file: those of this host.
absl::StatusOr<std::vector<Profile>> OwnProfiles(const std::string& name) {
  RR_ASSIGN_OR_RETURN(const Site site, LoadSite(std::span(&name, 1)));
  char host[256] = {};
  if (::gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  return site.ProfilesOf(host);
}

// Nothing where no file is named.
absl::StatusOr<std::vector<Waiver>> OwnWaivers(const std::string& path) {
  if (path.empty()) return std::vector<Waiver>();
  return LoadWaivers(path);
}

// What differs between two configurations and is only read at the start.
std::vector<std::string> NeedsRestart(const std::map<std::string, std::string>& before,
                                      const std::map<std::string, std::string>& after) {
  const std::set<std::string> reloaded{"profile", "waivers", "log_level"};
  std::vector<std::string> keys;
  for (const auto& [key, value] : after) {
    const auto found = before.find(key);
    if (!reloaded.contains(key) && (found == before.end() || found->second != value)) keys.push_back(key);
  }
  for (const auto& [key, value] : before) {
    if (!after.contains(key)) keys.push_back(key);
  }
  return keys;
}

struct Reloaded {
  AgentCommandLine command{};
  std::vector<Profile> profiles{};
  std::vector<Waiver> waivers{};
};

absl::StatusOr<Reloaded> ReadAgain(std::span<const char* const> argv) {
  Reloaded again;
  RR_ASSIGN_OR_RETURN(again.command, ParseAgentCommandLine(static_cast<int>(argv.size()), argv.data()));
  RR_ASSIGN_OR_RETURN(again.profiles, OwnProfiles(again.command.options.profile_name));
  RR_ASSIGN_OR_RETURN(again.waivers, OwnWaivers(again.command.options.waivers_file));
  return again;
}

// SIGHUP: the configuration, the profile and the waivers are read again. What is refused changes nothing.
void Reload(std::span<const char* const> argv, const std::map<std::string, std::string>& started_with,
            HostedAgent& agent, const EventSink& events) {
  absl::StatusOr<Reloaded> again = ReadAgain(argv);
  if (!again.ok()) {
    return Tell(events, EventLevel::kError, "reload-refused",
                {{"reason", Message(again.status()) + "; all stays as it was"}});
  }
  agent.SetDefaultProfiles(std::move(again->profiles), std::move(again->waivers));
  SetLogLevel(again->command.options.log_level);
  std::vector<Event::Field> fields{{"profile", again->command.options.profile_name}};
  const std::vector<std::string> waiting = NeedsRestart(started_with, again->command.settings);
  if (!waiting.empty()) fields.push_back({"needs_restart", fmt::format("{}", fmt::join(waiting, ", "))});
  Tell(events, waiting.empty() ? EventLevel::kInfo : EventLevel::kWarning, "reloaded", std::move(fields));
}

// Until a signal says that it is over: its number.
int Attend(const ::sigset_t& signals, std::span<const char* const> argv,
           const std::map<std::string, std::string>& started_with, HostedAgent& agent,
           const EventSink& events) {
  for (;;) {
    int signal = 0;
    ::sigwait(&signals, &signal);
    if (signal != SIGHUP) return signal;
    TellManagerReloading();
    Reload(argv, started_with, agent, events);
    TellManagerReady(StatusOf(agent));
  }
}

// `sockets`: those that systemd listens on.
int Serve(AgentCommandLine& command, std::vector<access::DoorSocket> sockets, const ::sigset_t& signals,
          std::span<const char* const> argv) {
  AgentOptions& options = command.options;
  const EventSink events = options.server.events;
  std::jthread end;  // declared first: it outlives what may not end
  absl::StatusOr<LocalSockets> made = LocalSockets{};
  if (sockets.empty()) {
    made = MakeLocalSockets();
    if (made.ok()) sockets = std::move(made->sockets);
    if (absl::IsAlreadyExists(made.status())) {
      const std::string why = Message(made.status()) +
                              ": stop that agent first, or give this one another socket by RDMAREADY_SOCKET";
      return FailStart(kProgram, absl::AlreadyExistsError(why), ExitStatusOf(made.status()), options.log_format,
                       events);
    }
  }
  if (sockets.empty() && IsForItself(options.server)) {
    const absl::Status why = absl::FailedPreconditionError(fmt::format(
        "answer callers: neither a local socket ({}) nor a TCP address; set RDMAREADY_SOCKET=PATH or "
        "--listen ADDR:PORT",
        Message(made.status())));
    return FailStart(kProgram, why, ExitStatusOf(why), options.log_format, events);
  }
  std::vector<nvme::Leftover> leftovers;  // without root's rights they are the prover's to sweep
  if (::geteuid() == 0) leftovers = nvme::FindLeftovers(nvme::Moment::kStart);
  const bool insecure = options.server.insecure;
  const std::string plain_role(access::RoleName(options.server.plain_role));
  options.server.at_rest = GiveBackMappedPages;
  const absl::StatusOr<std::unique_ptr<HostedAgent>> agent =
      HostedAgent::Start(std::move(options.server), std::move(sockets));
  if (!agent.ok()) {
    return FailStart(kProgram, agent.status(), ExitStatusOf(agent.status()), options.log_format, events);
  }
  HearGrpc(events);
  if (insecure) {
    Tell(events, EventLevel::kWarning, "insecure",
         {{"reason", "plain text, without authentication: every caller that reaches the port has the role " +
                         plain_role}});
  }
  TellOfListening(**agent, events);
  TellOfMetrics(**agent, events);
  if (!made.ok()) {
    Tell(events, EventLevel::kInfo, "no-local-socket", {{"reason", Message(made.status())}});
  }
  // It may take as long as a server that is gone keeps the kernel waiting: nobody waits for it.
  const std::jthread sweep([&] { TellOfLeftovers(events, nvme::RemoveLeftovers(leftovers)); });
  TellManagerReady(StatusOf(**agent));
  std::optional<Watchdog> watchdog;
  if (const auto period = WatchdogPeriod())
    watchdog.emplace(*period, RealClock(), (*agent)->ProofsOfLife(), TellManagerAlive, events);
  GiveBackMappedPages();  // those of the start
  const int signal = Attend(signals, argv, command.settings, **agent, events);
  TellManagerStopping();
  Tell(events, EventLevel::kInfo, "stopping", {{"reason", std::string(::strsignal(signal))}});
  end = std::jthread(EndAnyway, events);
  watchdog.reset();
  (*agent)->Shutdown(kGrace);
  return 0;
}

int Main(int argc, char** argv) {
  if (const std::optional<int> enrolled = RunEnrolCommand(argc, argv)) return *enrolled;
  // Before there are threads: it changes the environment.
  absl::StatusOr<std::vector<access::DoorSocket>> inherited = access::InheritedSockets();
  absl::StatusOr<AgentCommandLine> command = ParseAgentCommandLine(argc, argv);
  if (!command.ok()) return FailStart(kProgram, command.status(), kExitUsage, LogFormat::kText, {});
  if (!command->answer.empty()) return std::fputs(command->answer.c_str(), stdout) < 0 ? kExitOwnFailure : 0;
  AgentOptions& options = command->options;
  const ::sigset_t signals = BecomeDaemon();
  options.log_format = LogFormatHere(options.log_format);
  options.server.events = StartLog(options.log_format, options.log_level);
  const auto fail = [&options](const absl::Status& why, int status) {
    return FailStart(kProgram, why, status, options.log_format, options.server.events);
  };
  absl::StatusOr<std::vector<Profile>> profiles = OwnProfiles(options.profile_name);
  if (!profiles.ok()) return fail(profiles.status(), kExitUsage);
  options.server.default_profiles = *std::move(profiles);
  absl::StatusOr<std::vector<Waiver>> waivers = OwnWaivers(options.waivers_file);
  if (!waivers.ok()) return fail(waivers.status(), kExitUsage);
  options.server.waivers = *std::move(waivers);
  // An agent without root's rights would only fail at each mount.
  if (options.server.allow_proofs && ::geteuid() != 0) {
    options.server.allow_proofs = false;
    Tell(options.server.events, EventLevel::kWarning, "proofs-by-helper",
         {{"reason", "--allow-proofs is for root's agent: rdmaready-prover is asked"}});
  }
  if (!inherited.ok()) return fail(inherited.status(), ExitStatusOf(inherited.status()));
  return Serve(*command, *std::move(inherited), signals, std::span(argv, static_cast<std::size_t>(argc)));
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
