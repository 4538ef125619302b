// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/cut_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "api/base/status.h"

extern char** environ;

namespace rdmaready {
namespace {

bool MayRun(const std::string& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// The program has no input, standard error as its output, no blocked signal, and a session of its own: it
// cannot ask for a password where a person types.
class CutSetUp {
 public:
  CutSetUp() {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files_, STDERR_FILENO, STDOUT_FILENO);
    ::posix_spawnattr_init(&attributes_);
    ::sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  }
  CutSetUp(const CutSetUp&) = delete;
  CutSetUp& operator=(const CutSetUp&) = delete;
  ~CutSetUp() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&files_);
  }
  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

absl::Status OutcomeOf(int status, std::string_view program) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  if (WIFEXITED(status))
    return absl::AbortedError(fmt::format("{} ended with status {}", program, WEXITSTATUS(status)));
  return absl::AbortedError(fmt::format("{} was ended by signal {}", program, WTERMSIG(status)));
}

}  // namespace

absl::StatusOr<std::string> CutRunner::Find(const std::string& program) {
  const auto missing = absl::NotFoundError("run " + program + ": there is no such program that may be run");
  if (program.find('/') != std::string::npos) {
    if (MayRun(program)) return program;
    return missing;
  }
  const char* const folders = std::getenv("PATH");
  for (std::string_view rest = folders == nullptr ? "" : folders; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::string path = fmt::format("{}/{}", rest.substr(0, end), program);
    if (end > 0 && MayRun(path)) return path;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return missing;
}

absl::Status CutRunner::Run() {
  std::vector<char*> arguments;
  for (const std::string& argument : command_) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const CutSetUp set_up;
  ::pid_t pid = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return absl::CancelledError("the command was given up");
    const int error =
        ::posix_spawn(&pid, path_.c_str(), set_up.files(), set_up.attributes(), arguments.data(), environ);
    if (error != 0) return ErrnoStatus(error, "run " + path_);
    running_ = pid;
  }
  return Await(pid);
}

bool CutRunner::HasEnded(::pid_t pid) {
  ::siginfo_t ended{};
  return ::waitid(P_PID, static_cast<::id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         ended.si_pid != 0;
}

// The program gets time to undo the cut. The kernel gives its process number to no other process before Await()
// calls waitpid().
void CutRunner::End(::pid_t pid) {
  ::kill(-pid, SIGTERM);
  const auto end = std::chrono::steady_clock::now() + kGrace;
  while (!HasEnded(pid) && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kLook);
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);
}

absl::Status CutRunner::Await(::pid_t pid) {
  const auto end = std::chrono::steady_clock::now() + kMostCutTime;
  bool in_time = true;
  while (!HasEnded(pid)) {
    in_time = std::chrono::steady_clock::now() < end;
    if (!in_time) End(pid);
    std::this_thread::sleep_for(kLook);
  }
  int status = 0;
  const std::lock_guard lock(mutex_);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  running_ = 0;
  if (!in_time)
    return absl::DeadlineExceededError(
        fmt::format("{} did not end within {} s and was ended: the path may still be cut", command_.front(),
                    kMostCutTime.count()));
  return OutcomeOf(status, command_.front());
}

void CutRunner::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (running_ != 0) End(running_);
}

}  // namespace rdmaready
