// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace rdmaready {
namespace {

::sigset_t EndingSignals() {
  ::sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

Interrupt::Interrupt() {
  const ::sigset_t signals = EndingSignals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal_fd_ = UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC));
}

void Interrupt::Add(std::function<void()> hook) {
  const std::lock_guard lock(mutex_);
  hooks_.push_back(std::move(hook));
}

void Interrupt::Disarm() {
  const std::lock_guard lock(mutex_);
  hooks_.clear();
}

ExitStatus Interrupt::Run(const std::function<ExitStatus()>& work) {
  const UniqueFd done(::eventfd(0, EFD_CLOEXEC));
  ExitStatus status = ExitStatus::kOwnFailure;
  std::jthread worker([&] {
    status = work();
    const std::uint64_t one = 1;
    static_cast<void>(::write(done.get(), &one, sizeof(one)));
  });
  std::array<::pollfd, 2> waits{{{.fd = done.get(), .events = POLLIN, .revents = 0},
                                 {.fd = signal_fd_.get(), .events = POLLIN, .revents = 0}}};
  while (true) {
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) break;
    if (waits[1].revents != 0) End();
  }
  worker.join();
  return status;
}

void Interrupt::End() {
  // A second Ctrl-C ends at once, whatever the hooks wait for.
  ::signalfd_siginfo info{};
  static_cast<void>(::read(signal_fd_.get(), &info, sizeof(info)));
  const ::sigset_t signals = EndingSignals();
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  const std::lock_guard lock(mutex_);
  for (auto hook = hooks_.rbegin(); hook != hooks_.rend(); ++hook) (*hook)();
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(ExitStatus::kInterrupted));
}

}  // namespace rdmaready
