// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "agent/helper/peer.h"
#include "agent/helper/server.h"
#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/base/version.h"

namespace rdmaready::helper {
namespace {

constexpr int kUsage = 2;
constexpr int kOwnFailure = 3;
constexpr int kFirstPassedFd = 3;  // SD_LISTEN_FDS_START of sd_listen_fds(3)
constexpr auto kIdle = std::chrono::seconds(30);

void Say(const std::string& program, const std::string& line) {
  std::string text = fmt::format("{}: {}", program, line);
  for (char& letter : text) {
    if (letter < ' ' || letter > '~') letter = '?';
  }
  std::fprintf(stderr, "%s\n", text.c_str());
}

struct Command {
  std::string user = "rdmaready";
  std::string listen{};
};

absl::StatusOr<::uid_t> UidOf(const std::string& user) {
  std::array<char, 16 * 1024> buffer;
  ::passwd entry{};
  ::passwd* found = nullptr;
  const int error = ::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (error != 0) return ErrnoStatus(error, "look for user " + user);
  if (found == nullptr) return absl::InvalidArgumentError("there is no user " + user);
  return entry.pw_uid;
}

// systemd's socket, when there is one for this process.
absl::StatusOr<UniqueFd> PassedSocket() {
  const char* pid = std::getenv("LISTEN_PID");
  const char* count = std::getenv("LISTEN_FDS");
  if (pid == nullptr || count == nullptr || std::to_string(::getpid()) != pid || std::string(count) != "1") {
    return absl::InvalidArgumentError("no socket: neither --listen PATH, nor one of systemd (LISTEN_FDS=1)");
  }
  int listens = 0;
  ::socklen_t size = sizeof(listens);
  if (::getsockopt(kFirstPassedFd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
    return absl::InvalidArgumentError("descriptor 3 is no listening socket");
  }
  UniqueFd socket(kFirstPassedFd);
  if (::fcntl(socket.get(), F_SETFD, FD_CLOEXEC) != 0 || ::fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0) {
    return ErrnoStatus(errno, "prepare descriptor 3");
  }
  return socket;
}

// Readable once the helper is told to end. Before any thread exists, so that all inherit the mask.
absl::StatusOr<UniqueFd> EndSignals() {
  ::sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  // By itself it would end the process at once, which systemd takes for a clean end: nobody would take back what
  // is open.
  ::sigaddset(&signals, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  UniqueFd told(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!told) return ErrnoStatus(errno, "signalfd");
  return told;
}

absl::Status GiveUpMore() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return ErrnoStatus(errno, "set no_new_privs");
  // A core would hold what was read with rights that others do not have.
  const ::rlimit none{0, 0};
  if (::setrlimit(RLIMIT_CORE, &none) != 0) return ErrnoStatus(errno, "forbid core files");
  return absl::OkStatus();
}

// As sd_notify(3) does; who does not listen is not waited for.
void TellReady() {
  const char* path = std::getenv("NOTIFY_SOCKET");
  ::sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string_view name = path == nullptr ? "" : path;
  if (name.size() < 2 || name.size() >= sizeof(address.sun_path)) return;
  std::ranges::copy(name, address.sun_path);
  if (name.front() == '@') address.sun_path[0] = '\0';
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  constexpr std::string_view kReady = "READY=1";
  const auto size = static_cast<::socklen_t>(offsetof(::sockaddr_un, sun_path) + name.size());
  static_cast<void>(::sendto(socket.get(), kReady.data(), kReady.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                             reinterpret_cast<const ::sockaddr*>(&address), size));
}

int Ended(const Program& program, ServeEnd end) {
  switch (end) {
    case ServeEnd::kIdle:
    case ServeEnd::kTold:
      return program.end ? program.end() : 0;
    case ServeEnd::kStuck:
      // What sleeps in the kernel is not waited for. What it would have done at the end is left undone, and who
      // has a part in that wants to be started again.
      ::_exit(program.end ? kOwnFailure : 0);
    case ServeEnd::kUnknown:
      break;
  }
  return kOwnFailure;
}

// A file system that is read-only for a while, or a table of files that is full, is no fault of who started it.
absl::StatusOr<std::vector<Verb>> VerbsOf(const Program& program) {
  absl::StatusOr<std::vector<Verb>> verbs = program.verbs();
  if (verbs.ok() || absl::IsFailedPrecondition(verbs.status())) return verbs;
  return absl::InternalError(Message(verbs.status()));
}

bool AnotherTryChangesNothing(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status) || absl::IsAlreadyExists(status);
}

absl::StatusOr<int> Serve(const Program& program, const Command& command) {
  RR_ASSIGN_OR_RETURN(const UniqueFd told, EndSignals());
  RR_RETURN_IF_ERROR(GiveUpMore());
  RR_ASSIGN_OR_RETURN(const ::uid_t asker, UidOf(command.user));
  RR_ASSIGN_OR_RETURN(std::vector<Verb> verbs, VerbsOf(program));
  RR_ASSIGN_OR_RETURN(UniqueFd socket, command.listen.empty() ? PassedSocket() : ListenOn(command.listen));
  ServeOptions options{.program = program.name,
                       .asker = asker,
                       .answers_root = program.answers_root,
                       .idle = command.listen.empty() ? kIdle : std::chrono::milliseconds(0),
                       .end_within = program.end_within,
                       .progress = program.progress,
                       .busy = program.busy,
                       .log = [name = program.name](const std::string& line) { Say(name, line); }};
  Say(program.name, fmt::format("answers user {} on {}, version {}", command.user,
                                command.listen.empty() ? "descriptor 3" : command.listen, kVersion));
  TellReady();
  HelperServer server(std::move(socket), std::move(verbs), std::move(options));
  const ServeEnd end = server.Run(told.get());
  std::error_code ignored;
  if (!command.listen.empty()) std::filesystem::remove(command.listen, ignored);
  return Ended(program, end);
}

}  // namespace

int RunProgram(const Program& program, int argc, char** argv) {
  Command command;
  CLI::App app(program.description, program.name);
  app.set_version_flag("--version", fmt::format("{} {}", program.name, kVersion));
  app.add_option("--user", command.user, "the only user who is answered, by name")->capture_default_str();
  app.add_option("--listen", command.listen, "make this socket and stay; else descriptor 3, by systemd");
  for (const ProgramOption& option : program.options) {
    app.add_option("--" + option.name, *option.value, option.help)->capture_default_str();
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (const std::optional<int> done = program.instead ? program.instead() : std::nullopt) return *done;
  const absl::StatusOr<int> status = Serve(program, command);
  if (status.ok()) return *status;
  Say(program.name, Message(status.status()));
  if (AnotherTryChangesNothing(status.status())) return kUsage;
  RealClock().SleepUntil(RealClock().Now() + program.before_failure, {});
  return kOwnFailure;
}

}  // namespace rdmaready::helper
