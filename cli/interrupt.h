// SPDX-License-Identifier: Apache-2.0
// Interrupt: what happens at Ctrl-C. Calls to agents block, so the work runs on a thread of its own; at SIGINT
// or SIGTERM the hooks run (show what is known so far, stop the agent in this process) and the process ends
// with status 130. The kernel then closes the connections, and each agent sees its call cancelled.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <vector>

#include "api/base/handle.h"
#include "cli/exit_status.h"

namespace rdmaready {

class Interrupt {
 public:
  // Blocks the signals in this thread and in all that it starts: to be made before any other thread exists.
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Runs when the work is interrupted; the hook that was added last runs first, so that what is known is shown
  // before what it comes from is stopped. They must not block for long.
  void Add(std::function<void()> hook);

  // What stops something: runs after the hooks of Add, and at the end of time.
  void AddStop(std::function<void()> hook);

  // When `at` is over and the work is not, `conclude` runs instead of the hooks of Add: it shows what is known so far
  // and says with which status the process ends. One of them at most.
  void EndAt(std::chrono::steady_clock::time_point at, std::function<int()> conclude);

  // The work is about to print its own result: no hook runs any more, and time does not end. Waits for hooks that are running.
  void Disarm();

  // Returns what `work` returns. Does not return after a signal.
  ExitStatus Run(const std::function<ExitStatus()>& work);

 private:
  [[noreturn]] void End();
  // Returns when the work has disarmed this first.
  void EndOfTime();
  int MillisecondsLeft();

  UniqueFd signal_fd_;
  std::recursive_mutex mutex_;  // what concludes may say why the command ends, which disarms
  std::vector<std::function<void()>> hooks_;
  std::vector<std::function<void()>> stops_;
  std::chrono::steady_clock::time_point end_{};
  std::function<int()> conclude_;  // empty: there is no end of time
};

}  // namespace rdmaready
