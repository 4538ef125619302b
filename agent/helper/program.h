// SPDX-License-Identifier: Apache-2.0
// What every helper's main() is: its command line, its socket, its end.
//
//   rdmaready-NAME [--user USER] [--listen PATH]
//
// With systemd's socket (LISTEN_FDS=1: descriptor 3) it leaves after 30 s without work, and is started again by
// the next question; with --listen it makes the socket and stays, because nobody would start it again.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/helper/verb.h"

namespace rdmaready::helper {

// An option of one helper's own: --NAME VALUE.
struct ProgramOption {
  std::string name{};
  std::string help{};
  std::string* value = nullptr;  // its default before, what was given after
};

struct Program {
  std::string name{};         // "rdmaready-reader"
  std::string description{};  // one sentence, for --help
  std::vector<ProgramOption> options{};
  // What is done instead of serving, when the options say so: its exit status. Empty: it serves.
  std::function<std::optional<int>()> instead{};
  // Called once, after the options were read and before anything is served. An error ends the helper:
  // kFailedPrecondition (what belongs to it is not as it must be) with status 2, any other with 3.
  std::function<absl::StatusOr<std::vector<Verb>>()> verbs{};

  // What only some helpers have; see ServeOptions.
  bool answers_root = false;
  ProgressLimits progress{};
  std::function<bool()> busy{};
  std::chrono::milliseconds end_within = std::chrono::seconds(2);
  // What is done when nothing is served any more; its result is the exit status. Empty: nothing, 0.
  std::function<int()> end{};
  // How long it waits before it leaves with status 3 without having served: who starts it again does so at
  // once.
  std::chrono::milliseconds before_failure{};
};

// Returns the exit status: that of `end` after an idle time or a signal; 2 for a wrong command line or what is
// not its own, where another try changes nothing; 3 for a failure that may be over soon. A service manager that
// wants to know (NOTIFY_SOCKET) is told once it answers. It gives up the right to gain rights by what it would
// execute (no_new_privs), though a helper executes nothing.
int RunProgram(const Program& program, int argc, char** argv);

}  // namespace rdmaready::helper
