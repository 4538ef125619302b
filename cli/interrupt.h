// SPDX-License-Identifier: Apache-2.0
// Interrupt: what happens at Ctrl-C. Calls to agents block, so the work runs on a thread of its own; at SIGINT
// or SIGTERM the hooks run (show what is known so far, stop the agent in this process) and the process ends
// with status 130. The kernel then closes the connections, and each agent sees its call cancelled.
#pragma once

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

  // The work is about to print its own result: no hook runs any more. Waits for hooks that are running.
  void Disarm();

  // Returns what `work` returns. Does not return after a signal.
  ExitStatus Run(const std::function<ExitStatus()>& work);

 private:
  [[noreturn]] void End();

  UniqueFd signal_fd_;
  std::mutex mutex_;
  std::vector<std::function<void()>> hooks_;
};

}  // namespace rdmaready
