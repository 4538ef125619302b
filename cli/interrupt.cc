// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
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

void Interrupt::AddStop(std::function<void()> hook) {
  const std::lock_guard lock(mutex_);
  stops_.push_back(std::move(hook));
}

void Interrupt::EndAt(std::chrono::steady_clock::time_point at, std::function<int()> conclude) {
  const std::lock_guard lock(mutex_);
  end_ = at;
  conclude_ = std::move(conclude);
}

void Interrupt::Disarm() {
  const std::lock_guard lock(mutex_);
  hooks_.clear();
  stops_.clear();
  conclude_ = nullptr;
}

// No longer than a tenth of a second: the end of time may be set while the work goes on.
int Interrupt::MillisecondsLeft() {
  constexpr std::int64_t kLongest = 100;
  const std::lock_guard lock(mutex_);
  if (!conclude_) return static_cast<int>(kLongest);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kLongest));
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
    if (::poll(waits.data(), waits.size(), MillisecondsLeft()) < 0) continue;
    if (waits[0].revents != 0) break;
    if (waits[1].revents != 0) End();
    EndOfTime();
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
  for (const auto& stop : stops_) stop();
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(ExitStatus::kInterrupted));
}

void Interrupt::EndOfTime() {
  const std::lock_guard lock(mutex_);  // held to the end: the work waits in Disarm
  if (!conclude_ || std::chrono::steady_clock::now() < end_) return;
  const auto conclude = std::exchange(conclude_, nullptr);
  const auto stops = stops_;
  const int status = conclude();
  for (const auto& stop : stops) stop();
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace rdmaready
