// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/last_input.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

extern "C" void __attribute__((weak)) __sanitizer_set_death_callback(void (*callback)());
// A demand aborts; the input must be written then too.
extern "C" const char* __asan_default_options() { return "handle_abort=1"; }

namespace rdmaready::fuzz {
namespace {

std::span<const std::byte> playing;

// Only calls that a signal handler may make.
void WriteDown() {
  if (playing.empty()) return;
  char name[128];
  std::snprintf(name, sizeof name, "%s.failed", program_invocation_short_name);
  const int file = ::open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0) {
    if (::write(file, playing.data(), playing.size()) >= 0)
      ::dprintf(STDERR_FILENO, "the input is in %s\n", name);
    ::close(file);
  }
  playing = {};
}

void Die(int signal) {
  WriteDown();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

void KeepLastInput() {
  if (Instrumented()) {
    __sanitizer_set_death_callback(WriteDown);
    return;
  }
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) std::signal(signal, Die);
}

void Playing(std::span<const std::byte> input) { playing = input; }

bool Instrumented() { return __sanitizer_set_death_callback != nullptr; }

}  // namespace rdmaready::fuzz
