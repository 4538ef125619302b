// SPDX-License-Identifier: Apache-2.0
// CutRunner: runs the program with which the caller of `rdmaready failover` cuts a path: on the caller's own
// host, with the caller's own rights. No other part of the product starts a program, and no agent does.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rdmaready {

inline constexpr std::chrono::seconds kMostCutTime{10};

class CutRunner {
 public:
  // kNotFound: there is no such program that may be run, by its path or in PATH. `command` is not empty.
  static absl::StatusOr<std::string> Find(const std::string& program);

  // `path`: of Find(). `command`: its argv.
  CutRunner(std::string path, std::vector<std::string> command)
      : path_(std::move(path)), command_(std::move(command)) {}

  // Blocks until the program ends; after kMostCutTime it is ended with all that it started. It has a session
  // of its own, no terminal, no input, and writes to standard error. OK: it ended with status 0. Processes
  // that it leaves behind then go on: they may bring the path back later.
  absl::Status Run();

  // From another thread, also of a signal: ends the program, if it runs, with all that it started.
  void Stop();

 private:
  static constexpr std::chrono::milliseconds kLook{20};
  static constexpr std::chrono::milliseconds kGrace{1'000};  // from SIGTERM to SIGKILL

  static bool HasEnded(::pid_t pid);
  static void End(::pid_t pid);
  absl::Status Await(::pid_t pid);

  const std::string path_;
  const std::vector<std::string> command_;
  std::mutex mutex_;
  ::pid_t running_ = 0;  // its process group; 0: it does not run
  bool stopped_ = false;
};

}  // namespace rdmaready
