// SPDX-License-Identifier: Apache-2.0
// What libstdc++ and rdmaready-prover ask of glibc 2.36, by calls of the kernel: with these, glibc 2.34 is enough for the programs.
// Names, parameters and results are glibc's (arc4random(3), fsopen(2)).
#include <linux/mount.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

extern "C" {

// Called by std::random_device. There is no way to report an error, so glibc ends the process too.
std::uint32_t arc4random() {
  std::uint32_t value = 0;
  if (::getrandom(&value, sizeof(value), 0) != static_cast<ssize_t>(sizeof(value))) std::abort();
  return value;
}

int fsopen(const char* type, unsigned flags) { return static_cast<int>(::syscall(SYS_fsopen, type, flags)); }

int fsmount(int context, unsigned flags, unsigned attributes) {
  return static_cast<int>(::syscall(SYS_fsmount, context, flags, attributes));
}

int fsconfig(int context, unsigned command, const char* key, const void* value, int aux) {
  return static_cast<int>(::syscall(SYS_fsconfig, context, command, key, value, aux));
}
}
